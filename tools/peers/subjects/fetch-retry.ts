/** fetch-retry wraps a fetch, as we do. By default it retries no status; its README lists them in an option. */

import fetchRetry from 'fetch-retry';
import type { Subject } from '../../../bench/peers/subject.ts';
import { installedVersion } from '../../../bench/peers/subjects.ts';

const retryOn = [429, 500, 502, 503, 504];

export const subject: Subject = {
  name: 'fetch-retry',
  version: installedVersion('fetch-retry'),
  retries: true,
  wrap: (inner, { retries, waitMs }) => fetchRetry(inner, { retries, retryDelay: waitMs, retryOn }),
  byDefault: (inner) => fetchRetry(inner, { retries: 2, retryOn }),
  bundle: `export { default } from 'fetch-retry';`,
  entry: 'fetch-retry',
};
