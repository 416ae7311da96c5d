/** A wait of the proxy before a call begins; the library does the waits between attempts. */

import { systemRuntime } from '../runtime/runtime.ts';
import { RefusedError } from './refused-error.ts';

/** Tells SDKs not to retry, because a person gave the call up. */
export const NO_RETRY: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };

export class OwnWait {
  /** Rejects with the signal's reason, or with a `RefusedError` after `giveUp`. */
  readonly over: Promise<void>;
  readonly retryNow: () => void;
  readonly giveUp: () => void;

  /** `moment`: milliseconds since the epoch. */
  constructor(moment: number, signal: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = new AbortController();
    // Ends on time after the machine was asleep, and after the clock was set back.
    systemRuntime.sleep(moment - Date.now(), AbortSignal.any([signal, end.signal])).then(resolve, reject);
    this.retryNow = resolve;
    this.giveUp = () =>
      reject(new RefusedError(503, 'given_up', 'The wait was given up on the status page.', NO_RETRY));
    this.over = promise.finally(() => end.abort());
  }
}
