/**
 * The events of a call: frozen records for a user interface, a log or a journal. They have the reason as data, and
 * contain no secrets.
 */

import type { Failure } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';

/** The members of every event. */
export interface EventOf<Type extends string> {
  readonly type: Type;
  /** The same in every event of one call. */
  readonly callId: string;
  readonly method: string;
  /** Without query, fragment and credentials. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Before each wait that follows a failure. */
export interface RetryPlanned extends EventOf<'retry'> {
  /** The retry that is planned, from 1. */
  readonly retry: number;
  /** The retries that this call can reach, including those made; null without a limit. */
  readonly maxRetries: number | null;
  readonly delayMs: number;
  readonly nextAttemptAt: number;
  readonly because: WaitReason;
  readonly failure: Failure;
}

/** A wait that no `retry` announced, or a moment that moved. */
export interface AttemptDelayed extends EventOf<'delayed'> {
  /** The one that is to be sent, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly nextAttemptAt: number;
  readonly because: WaitReason;
}

/** The wait is over. */
export interface AttemptSent extends EventOf<'attempt'> {
  readonly attempt: number;
  readonly target?: string;
}

/** Before the first attempt on another target. */
export interface TargetChanged extends EventOf<'fallback'> {
  readonly from: string;
  readonly to: string;
  readonly failure: Failure;
}

/** A success after at least one retry. */
export interface CallRecovered extends EventOf<'recovered'> {
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly history: readonly AttemptRecord[];
}

/** Given up, retried or not. */
export interface CallFailed extends EventOf<'failed'> {
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly because: StopReason;
  readonly failure: Failure;
  /** When the request may succeed, if the server or the gate said so. Milliseconds since the epoch. */
  readonly possibleAt?: number;
  readonly history: readonly AttemptRecord[];
}

/** Aborted. */
export interface CallCancelled extends EventOf<'cancelled'> {
  /** The attempts that were sent. The last one has no record in `history` if its failure was not read before the abort. */
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly history: readonly AttemptRecord[];
}

/** `stalled`: it went silent. `truncated`: it ended before the answer was complete. `cut`: its connection broke. */
export type BreakReason = 'stalled' | 'truncated' | 'cut';

/** A stream broke after it was handed over; may follow `recovered`. */
export interface AnswerBroken extends EventOf<'broken'> {
  readonly because: BreakReason;
  /** How long after the stream was handed over. */
  readonly afterMs: number;
  readonly failure: Failure;
  readonly attempts: number;
  /** With the attempt whose stream broke as a failed one. */
  readonly history: readonly AttemptRecord[];
}

/** How a call ended. */
export type CallOutcome = CallRecovered | CallFailed | CallCancelled;

/** What a call reports: the waits, the attempts after them, its end, and a stream that broke after it. */
export type RetryEvent = RetryPlanned | AttemptDelayed | AttemptSent | TargetChanged | CallOutcome | AnswerBroken;

/** Gets every event of a call, in order. What it throws, or a promise of it that rejects, changes nothing. */
export type RetryListener = (event: RetryEvent) => void;

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
