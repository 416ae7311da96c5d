/**
 * The events of a call: frozen records for a user interface, a log or a journal. They have the reason as data, and
 * contain no secrets.
 */

import type { Failure } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';

/** The members of every event. */
export interface EventOf<Type extends string> {
  /** What happened. */
  readonly type: Type;
  /** The same in every event of one call. */
  readonly callId: string;
  /** In upper case; `RUN` for a function. */
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
  /** The wait that begins, in milliseconds. */
  readonly delayMs: number;
  /** When the wait ends. Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
  /** What decides the wait. */
  readonly because: WaitReason;
  /** Of the attempt that just ended. */
  readonly failure: Failure;
}

/** A wait that no `retry` announced, or a moment that moved. */
export interface AttemptDelayed extends EventOf<'delayed'> {
  /** The one that is to be sent, from 1. */
  readonly attempt: number;
  /** The wait that begins or is left, in milliseconds. */
  readonly delayMs: number;
  /** When it ends. Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
  /** What decides the wait. */
  readonly because: WaitReason;
}

/** The wait is over. */
export interface AttemptSent extends EventOf<'attempt'> {
  /** From 1. */
  readonly attempt: number;
  /** The fallback target, if there is a chain. */
  readonly target?: string;
}

/** Before the first attempt on another target. */
export interface TargetChanged extends EventOf<'fallback'> {
  /** The target before. */
  readonly from: string;
  /** The target that is used next. */
  readonly to: string;
  /** Of the target before. */
  readonly failure: Failure;
}

/** The members of the last event. */
interface EndOf<Type extends string> extends EventOf<Type> {
  /** The attempts that were sent; 0 if the first was refused. */
  readonly attempts: number;
  /** From the start of the call, in milliseconds. */
  readonly elapsedMs: number;
  /** The attempts. The last one has no record if its failure was not read before an abort. */
  readonly history: readonly AttemptRecord[];
}

/** A success after at least one retry, which is in `history` too. */
export interface CallRecovered extends EndOf<'recovered'> {}

/** Given up, retried or not. */
export interface CallFailed extends EndOf<'failed'> {
  /** Why there is no further retry. */
  readonly because: StopReason;
  /** Of the last attempt. */
  readonly failure: Failure;
  /** When the request may succeed, if the server or the gate said so. Milliseconds since the epoch. */
  readonly possibleAt?: number;
}

/** Aborted. */
export interface CallCancelled extends EndOf<'cancelled'> {}

/**
 * `stalled`: it went silent. `truncated`: it ended before the answer was complete. `cut`: its connection broke.
 * `error-event`: the server sent an error in it, which the reader got as it came.
 */
export type BreakReason = 'stalled' | 'truncated' | 'cut' | 'error-event';

/** A stream broke after it was handed over; may follow `recovered`. */
export interface AnswerBroken extends EventOf<'broken'> {
  /** How the stream broke. */
  readonly because: BreakReason;
  /** How long after the stream was handed over. */
  readonly afterMs: number;
  /** Always of the phase `stream`. */
  readonly failure: Failure;
  /** The attempts that were sent. */
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
