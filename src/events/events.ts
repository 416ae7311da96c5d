/**
 * The events of a call: frozen records for a user interface, a log or a journal. They have the reason as data, and
 * contain no secrets.
 */

import type { Failure } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';

/** The members of every event. */
export interface RetryEventBase {
  /** The same in every event of one call. */
  readonly requestId: string;
  readonly method: string;
  /** Without query, fragment and credentials. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * - `retry`: before each wait, after the decision.
 * - `fallback`: before the first attempt on another target.
 * - `delayed`: before a wait that no `retry` announced, or if its end has moved: a first attempt waits in line, all
 *   targets rest, or the gate needs longer than it estimated.
 * - `attempt`: the wait is over and the attempt is sent; for every attempt from the second on, and for the first one
 *   after a `delayed`.
 * - `broken`: with a `streamWatch`, when a stream breaks after it was handed over; nothing is retried then. It may follow
 *   `recovered`, and is then the last event.
 * - at the end exactly one of `recovered` (a success after at least one retry), `failed` (given up, retried or not) and
 *   `cancelled` (aborted). A call that succeeds at its first attempt has no event, unless it was delayed.
 */
export type RetryEvent = RetryEventBase &
  (
    | {
        readonly type: 'retry';
        /** The attempt that just failed, from 1. */
        readonly attempt: number;
        /** The retries that this call can reach under its schedule, including those made; null without a limit. */
        readonly maxRetries: number | null;
        readonly delayMs: number;
        /** Milliseconds since the epoch. */
        readonly nextAttemptAt: number;
        readonly because: WaitReason;
        readonly failure: Failure;
      }
    | {
        readonly type: 'recovered';
        readonly attempts: number;
        readonly elapsedMs: number;
        readonly history: readonly AttemptRecord[];
      }
    | {
        readonly type: 'failed';
        readonly attempts: number;
        readonly elapsedMs: number;
        readonly because: StopReason;
        readonly failure: Failure;
        /** When the request may succeed, if the server or the gate said so. Milliseconds since the epoch. */
        readonly possibleAt?: number;
        readonly history: readonly AttemptRecord[];
      }
    | {
        readonly type: 'cancelled';
        /** The attempts that were sent. The last one has no record in `history` if its failure was not read before the abort. */
        readonly attempts: number;
        readonly elapsedMs: number;
        readonly history: readonly AttemptRecord[];
      }
    | { readonly type: 'fallback'; readonly from: string; readonly to: string; readonly failure: Failure }
    | {
        readonly type: 'delayed';
        /** The attempt that waits, from 1. */
        readonly attempt: number;
        readonly delayMs: number;
        /** Milliseconds since the epoch. */
        readonly nextAttemptAt: number;
        readonly because: WaitReason;
      }
    | { readonly type: 'attempt'; readonly attempt: number; readonly target?: string }
    | {
        readonly type: 'broken';
        /**
         * `stalled`: it went silent. `truncated`: it ended before the answer was complete. `cut`: its connection broke.
         */
        readonly because: 'stalled' | 'truncated' | 'cut';
        /** How long after the stream was handed over. */
        readonly afterMs: number;
        readonly failure: Failure;
      }
  );

/** Calls a listener. Neither a throw nor a rejection of it changes the outcome of the request. */
export function notify<A extends readonly unknown[]>(
  listener: ((...args: A) => unknown) | undefined,
  ...args: A
): void {
  if (listener === undefined) return;
  try {
    const answer = listener(...args);
    // An async listener; its promise may be of another realm.
    if (typeof answer === 'object' && answer !== null && 'then' in answer) Promise.resolve(answer).catch(() => {});
  } catch {
    // A listener must not change the outcome.
  }
}
