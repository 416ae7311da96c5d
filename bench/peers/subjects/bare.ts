/** The floor: fetch itself. Measured against itself, it shows the accuracy of a scenario. */

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
