/** The loop by hand as a subject. It shows the accuracy of a scenario with failures. */

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
