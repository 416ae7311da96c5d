/**
 * What a call reports while it is being retried: frozen records for a user interface, a log or a journal. They carry
 * the reason as data and no secret.
 */

import type { Failure } from '../failure/failure.ts';
import type { AttemptRecord, StopReason, WaitReason } from '../failure/history.ts';

/** What every event says of its call. */
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
 * - `delayed`: a wait that no `retry` announced, or a moment that moved: a first attempt in line, targets that all rest, a
 *   gate that took longer than it had estimated.
 * - `attempt`: the wait is over and the attempt is being sent; for every attempt from the second on, and for a first one
 *   after a `delayed`.
 * - then exactly one of `recovered` (a success after at least one retry), `failed` (given up, retried or not) and
 *   `cancelled` (the caller aborted). A success at the first attempt reports nothing.
 */
export type RetryEvent = RetryEventBase &
  (
    | {
        readonly type: 'retry';
        /** The attempt that just failed, from 1. */
        readonly attempt: number;
        /** The retries that this call may still reach under its schedule, those made included; null where nothing limits them. */
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
        /** When the server would have taken the request again, where it said so. Milliseconds since the epoch. */
        readonly possibleAt?: number;
        readonly history: readonly AttemptRecord[];
      }
    | {
        readonly type: 'cancelled';
        readonly attempts: number;
        readonly elapsedMs: number;
        readonly history: readonly AttemptRecord[];
      }
    | { readonly type: 'fallback'; readonly from: string; readonly to: string; readonly failure: Failure }
    | {
        readonly type: 'delayed';
        /** The attempt that is to be sent, from 1. */
        readonly attempt: number;
        readonly delayMs: number;
        /** Milliseconds since the epoch. */
        readonly nextAttemptAt: number;
        readonly because: WaitReason;
      }
    | { readonly type: 'attempt'; readonly attempt: number; readonly target?: string }
  );

/** Calls a listener so that neither a throw nor a rejection of it can change the outcome of the request. */
export function notify<A extends readonly unknown[]>(
  listener: ((...args: A) => unknown) | undefined,
  ...args: A
): void {
  if (listener === undefined) return;
  try {
    const answer = listener(...args);
    // An async listener, also one of another realm.
    if (typeof answer === 'object' && answer !== null && 'then' in answer) Promise.resolve(answer).catch(() => {});
  } catch {
    // A listener shows; it does not decide.
  }
}
