/** p-retry runs any function; its caller reports a failure by throwing. */

import pRetry from 'p-retry';
import { isWorthARetry, StatusError, type Subject } from '../../../bench/peers/subject.ts';
import { installedVersion } from '../../../bench/peers/subjects.ts';

type Send = () => Promise<Response>;

const throwing = (send: Send) => async (): Promise<Response> => {
  const response = await send();
  if (isWorthARetry(response.status)) throw new StatusError(response);
  return response;
};

const signalOf = ({ signal }: RequestInit): { signal?: AbortSignal } => (signal ? { signal } : {});

export const subject: Subject = {
  name: 'p-retry',
  version: installedVersion('p-retry'),
  retries: true,
  wrap:
    (inner, { retries, waitMs }) =>
    (url, init) =>
      pRetry(
        throwing(() => inner(url, init)),
        { retries, factor: 1, minTimeout: waitMs, ...signalOf(init) },
      ),
  byDefault: (inner) => (url, init) =>
    pRetry(
      throwing(() => inner(url, init)),
      { retries: 2, ...signalOf(init) },
    ),
  bundle: `export { default } from 'p-retry';`,
  entry: 'p-retry',
};
