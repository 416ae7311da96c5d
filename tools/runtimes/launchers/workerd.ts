/**
 * Starts workerd with Miniflare and prints its report: `node workerd.ts <folder> <origin> <refused URL>`. workerd has
 * no node_modules, so it gets the installed files under the imported names. `nodejs_compat` is off, so an import of a
 * built-in of Node fails.
 */

import { createRequire } from 'node:module';
import { Miniflare } from 'miniflare';
import { equal, type Outcome, runChecks } from '../inside/check.ts';
import { overSockets } from '../inside/place.ts';
import { answerStream, cutAnswer } from '../inside/steps.ts';
import { readModules } from '../modules.ts';

const [folder = '', origin = '', refusedUrl = ''] = process.argv.slice(2);
const worker = new Miniflare({
  modules: await readModules(folder, 'worker.mjs'),
  compatibilityDate: '2026-06-01',
  // Sends no request for the location of this machine.
  cf: false,
});
try {
  const response = await worker.dispatchFetch('http://worker.example/', {
    method: 'POST',
    body: JSON.stringify({ origin, refusedUrl }),
  });
  const { version }: { version: string } = createRequire(import.meta.url)('workerd/package.json');
  const inside: readonly Outcome[] = JSON.parse(await response.text());
  const outside = await runChecks([['a stream that is held to its end is whole when a Worker returns it', returned]]);
  console.log(JSON.stringify({ version, checks: [...inside, ...outside] }));
} finally {
  await worker.dispose();
}

async function returned(): Promise<void> {
  const scene = await overSockets(origin).play(cutAnswer, answerStream);
  const response = await worker.dispatchFetch(`http://worker.example/?of=${encodeURIComponent(scene.url)}`);
  equal(await response.text(), answerStream.body.join(''), 'stream');
  equal((await scene.requests()).length, 2, 'requests');
}
