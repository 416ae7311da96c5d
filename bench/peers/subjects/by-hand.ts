/** The loop by hand as a subject: it says how much a scenario can tell apart where something fails. */

import { fileURLToPath } from 'node:url';
import { loopByHand } from '../loop-by-hand.ts';
import type { Subject } from '../subject.ts';

const source = fileURLToPath(new URL('../loop-by-hand.ts', import.meta.url));

export const subject: Subject = {
  name: 'loop by hand',
  version: '',
  retries: true,
  wrap: loopByHand,
  byDefault: null,
  bundle: `export { loopByHand } from ${JSON.stringify(source)};`,
  entry: null,
};
