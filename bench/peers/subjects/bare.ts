/** The floor: fetch itself. Measured against itself it says how much a scenario can tell apart. */

import type { Subject } from '../subject.ts';

export const subject: Subject = {
  name: 'bare fetch',
  version: '',
  retries: false,
  wrap: (inner) => inner,
  byDefault: null,
  bundle: null,
  entry: null,
};
