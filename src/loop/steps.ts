/** What the steps of a call return, and pass to the next step. */

import type { RuledFailure } from '../classify/index.ts';
import type { HeldWait } from '../events/steering.ts';
import type { Failure } from '../failure/failure.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';
import type { GateAnswer, GateRetry } from '../gate/gate.ts';
import type { RouteObstacle } from '../route/route.ts';
import type { Failed, Settled, StopDetails } from './face.ts';

/** A wait as events show it. */
export interface Wait {
  readonly delayMs: number;
  /** Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
  readonly because: WaitReason;
}

/** When an attempt ran. */
export interface Times {
  readonly startedAt: number;
  /** When the attempt settled, or its failure was found later; the wait counts from there. */
  readonly endedAt: number;
  /** The same on the monotonic clock. */
  readonly endedMonotonicMs: number;
}

/** A first attempt that was sent before the call had a record. */
export interface Sent<R> {
  readonly kind: 'sent';
  readonly settled: Settled<R>;
}

/** An attempt that is to be sent. */
export interface Next<R> {
  readonly kind: 'next';
  /** Absent if there is nothing to wait for. Listeners have been told of it. */
  readonly wait?: PlannedWait;
  /** The attempt before it, if the call may still return its outcome. */
  readonly last?: Tried<R> | undefined;
  /** What the gate was told of this retry; absent for a first attempt. */
  readonly retry?: GateRetry | null;
  /** The gate's answer for a first attempt that could not be sent at once. */
  readonly answer?: GateAnswer | undefined;
}

export interface PlannedWait {
  readonly ms: number;
  /** What it uses up of the time that the call may wait. */
  readonly countedMs: number;
  /** When the next attempt may succeed, in milliseconds since the epoch; undefined if neither a server nor a limit says so. */
  readonly possibleAt: number | undefined;
  /** undefined: no controller can end it. */
  readonly held: HeldWait | undefined;
  /** The gate or the rest that it is for. */
  readonly obstacle?: RouteObstacle | null;
}

export interface Succeeded<R> extends Times {
  readonly kind: 'succeeded';
  readonly value: R;
}

/** An attempt that has failed. */
export interface Tried<R> extends Times {
  readonly kind: 'tried';
  readonly failed: Failed<R>;
  /** After the caller's `classify`. */
  readonly failure: Failure;
  readonly ruledOut: RuledFailure['ruledOut'];
  /** What the callbacks get. */
  readonly error: Error | undefined;
}

/** An attempt that was not judged to the end. */
export type Unjudged<R> = Times & Partial<Pick<Tried<R>, 'failed' | 'failure'>>;

/** A call whose next attempt is not sent. */
export interface StoppedEnd<R> {
  readonly kind: 'end';
  readonly how: 'stopped';
  readonly reason: StopDetails;
  /** What the call rejects with if it has no outcome to return. */
  readonly error: Error | undefined;
  readonly last: Tried<R> | undefined;
}

/** The end of a call that did not succeed. */
export type End<R> =
  | StoppedEnd<R>
  /** The caller aborted while an attempt was in flight; `settled` is what it came to. */
  | { readonly kind: 'end'; readonly how: 'aborted'; readonly settled: Settled<R> }
  /** The caller aborted at another time, or a function from the options or a gate threw. */
  | { readonly kind: 'end'; readonly how: 'broken'; readonly error: unknown; readonly last: Unjudged<R> | undefined };

export const returned = <R>(value: R): Settled<R> => ({ value });
export const threw = (error: unknown): { readonly error: unknown } => ({ error });

/** The end of a call whose next attempt is not sent. `error`: what it rejects with if it has no outcome to return. */
export function stopped<R>(
  last: Tried<R> | undefined,
  because: StopReason,
  possibleAt?: number,
  error?: Error,
): StoppedEnd<R> {
  const reason = { because, ...(possibleAt !== undefined && { possibleAt }) };
  return { kind: 'end', how: 'stopped', reason, error, last };
}

export function broken<R>(error: unknown, last: Unjudged<R> | undefined): End<R> {
  return { kind: 'end', how: 'broken', error, last };
}

/** Whether it is an abort of the caller's side; a server may answer with the status 499. */
export function isAbort({ type, status }: Failure): boolean {
  return type === 'aborted' && status === undefined;
}
