/** A wait of the proxy before a call begins; the library does the waits between attempts. */

import { RefusedError } from './refused-error.ts';

/** Tells SDKs not to retry, because a person gave the call up. */
export const NO_RETRY: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };

/** Timers are no longer than this, so that a wait ends on time after a laptop was asleep. */
const SLICE_MS = 60_000;

export class OwnWait {
  /** Rejects with the signal's reason, or with a `RefusedError` after `giveUp`. */
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
    this.giveUp = () =>
      reject(new RefusedError(503, 'given_up', 'The wait was given up on the status page.', NO_RETRY));
    this.over = promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else turn();
  }
}
