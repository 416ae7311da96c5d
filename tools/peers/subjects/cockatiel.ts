/** cockatiel builds policies around any function; a result can be a failure. */

import { ConstantBackoff, ExponentialBackoff, type IBackoffFactory, handleAll, retry } from 'cockatiel';
import type { Fetch } from '../../../src/transport.ts';
import { type Call, isWorthARetry, type Subject } from '../../../bench/peers/subject.ts';
import { installedVersion } from '../../../bench/peers/subjects.ts';

const failures = handleAll.orWhenResult((result) => result instanceof Response && isWorthARetry(result.status));

function callOf(inner: Fetch, maxAttempts: number, backoff: IBackoffFactory<unknown>): Call {
  const policy = retry(failures, { maxAttempts, backoff });
  return (url, init) => policy.execute(() => inner(url, init), init.signal ?? undefined);
}

export const subject: Subject = {
  name: 'cockatiel',
  version: installedVersion('cockatiel'),
  retries: true,
  wrap: (inner, { retries, waitMs }) => callOf(inner, retries, new ConstantBackoff(waitMs)),
  byDefault: (inner) => callOf(inner, 2, new ExponentialBackoff()),
  bundle: `export { ExponentialBackoff, handleAll, retry } from 'cockatiel';`,
  entry: 'cockatiel',
};
