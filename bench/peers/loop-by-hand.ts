/**
 * The least code that retries without leaving anything behind: it reads what it discards, and an abort ends its wait. It
 * knows no hint, no jitter and no body. What the others cost where something fails is told as a multiple of it.
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
