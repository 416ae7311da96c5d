/** A wait of the proxy's own, before a call begins; the waits between attempts are the library's. */

import { RefusedError } from './refused-error.ts';

/** Tells SDKs not to retry: a person has decided. */
export const NO_RETRY: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };

/** No timer runs longer, so that a laptop that slept wakes up in time. */
const SLICE_MS = 60_000;

export class OwnWait {
  /** Rejects with the signal's reason, or with a `RefusedError` when it is given up. */
  readonly over: Promise<void>;
  readonly retryNow: () => void;
  readonly giveUp: () => void;

  /** `moment`: milliseconds since the epoch. */
  constructor(moment: number, signal: AbortSignal) {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const turn = (): void => {
      const leftMs = moment - Date.now();
      if (leftMs <= 0) resolve();
      else timer = setTimeout(turn, Math.min(leftMs, SLICE_MS));
    };
    this.retryNow = resolve;
    this.giveUp = () => reject(new RefusedError(503, 'given_up', 'The wait was given up by hand.', NO_RETRY));
    this.over = promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else turn();
  }
}
