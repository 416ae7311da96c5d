/** A proxy in a process of its own. It tells its URL, and for each message the most memory that the process has had. */

import { startProxy } from '../../src/proxy/index.ts';

const [, , target = ''] = process.argv;
const { url } = await startProxy({ target });
let peakBytes = 0;
const look = (): void => void (peakBytes = Math.max(peakBytes, process.memoryUsage.rss()));
setInterval(look, 10);
process.on('message', () => {
  look();
  process.send?.(peakBytes);
});
process.send?.(url);
