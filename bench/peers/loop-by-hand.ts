/**
 * The shortest code that retries and leaves nothing behind: it reads discarded bodies, and an abort ends its wait. It
 * has no hints, no jitter and no copies of bodies. The other subjects' costs of failures are given as multiples of its
 * own.
 */

import type { Fetch } from '../../src/transport.ts';
import type { Call, Policy } from './subject.ts';

export function loopByHand(inner: Fetch, { retries, waitMs }: Policy): Call {
  return async (url, init) => {
    for (let retry = 0; ; retry += 1) {
      const response = await inner(url, init);
      if (retry === retries || (response.status !== 429 && response.status < 500)) return response;
      await response.arrayBuffer();
      await wait(waitMs, init.signal);
    }
  };
}

function wait(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
