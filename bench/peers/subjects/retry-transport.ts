/** This library as users get it: the built file. The policy sets options that have other defaults. */

import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };
import type { Subject } from '../subject.ts';

const url = new URL('../../../dist/index.js', import.meta.url);
const { createRetryFetch }: typeof import('../../../src/index.ts') = await import(url.href);

export const subject: Subject = {
  name: 'retry-transport',
  version: manifest.version,
  retries: true,
  wrap: (inner, { retries, waitMs, holdsJson }) =>
    createRetryFetch({
      fetch: inner,
      maxRetries: retries,
      baseDelayMs: waitMs,
      maxDelayMs: waitMs,
      jitter: 'none',
      answers: { holdJson: holdsJson },
    }),
  byDefault: (inner) => createRetryFetch({ fetch: inner, maxRetries: 2 }),
  bundle: `export { createRetryFetch } from ${JSON.stringify(fileURLToPath(url))};`,
  entry: url.href,
};
