/**
 * One call from its first attempt to its end. The record holds only what belongs to the whole call; what a step learns
 * about one attempt it returns as one of the values below, and the next step gets it.
 */

import { Announcer } from '../events/announcer.ts';
import type { RuledFailure } from '../classify/index.ts';
import { type HeldWait, type Steering, steeringOf } from '../events/steering.ts';
import type { Failure } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';
import type { GateAnswer, GateRetry } from '../gate/gate.ts';
import type { Route, RouteObstacle } from '../route/route.ts';
import type { Policy } from '../options/policy.ts';
import { Counter } from './counter.ts';
import type { Face, Failed, Settled, StopDetails } from './face.ts';

/** Returns when what follows the progress began. */
export type Progress = (call: Call<unknown>, startedAt: number) => number;

export interface Call<R> {
  readonly policy: Policy;
  readonly face: Face<R>;
  readonly announcer: Announcer;
  /** What `progress()` of an operation does; undefined for a request. */
  readonly progress: Progress | undefined;
  /** Which target is asked, and when; undefined without a gate and without a chain. */
  readonly route: Route | undefined;
  /** When the first attempt or the wait for it began. All times here are milliseconds since the epoch. */
  readonly startedAt: number;
  /** When the present chain of retries began: the same, or the last progress. */
  chainStartedAt: number;
  counter: Counter;
  /** The attempts that have ended. */
  readonly records: AttemptRecord[];
  /**
   * The latest moment that was waited for, on the monotonic clock; it counts as passed even if the clock stands still.
   */
  waitedUntilMs: number;
  /** When the wait ends that was planned last, in milliseconds since the epoch. */
  waitsUntil: number;
  /** Tells the controller that the call has ended; undefined before its first wait, and without a controller. */
  endRetrying: (() => void) | undefined;
}

/** When an attempt ran. */
export interface Times {
  readonly startedAt: number;
  /** When the attempt settled, or its failure was found later; the wait counts from there. */
  readonly endedAt: number;
  /** The same on the monotonic clock. */
  readonly endedMonotonicMs: number;
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

/** An attempt that is to be sent. */
export interface Next<R> {
  readonly kind: 'next';
  /** undefined: nothing to wait for. */
  readonly wait: PlannedWait | undefined;
  /** The attempt before it, if the call may still return its outcome. */
  readonly last: Tried<R> | undefined;
  /** Whether listeners were told of the wait before a first attempt. */
  readonly isAnnounced: boolean;
  /** What the gate was told of this retry; null for a first attempt. */
  readonly retry: GateRetry | null;
  /** The gate's answer for a first attempt that could not be sent at once. */
  readonly answer: GateAnswer | Promise<GateAnswer> | undefined;
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
  | {
      readonly kind: 'end';
      readonly how: 'broken';
      readonly error: unknown;
      readonly last: Unjudged<R> | undefined;
    };

export const returned = <R>(value: R): Settled<R> => ({ value });
export const threw = (error: unknown): { readonly error: unknown } => ({ error });

/** `attempts`: those that were sent before the record was needed. */
export function newCall<R>(
  policy: Policy,
  face: Face<R>,
  startedAt: number,
  route: Route | undefined,
  attempts: number,
  progress: Progress | undefined,
): Call<R> {
  return {
    policy,
    face,
    announcer: new Announcer(policy, face, policy.runtime),
    progress,
    route,
    startedAt,
    chainStartedAt: startedAt,
    counter: new Counter(attempts),
    records: [],
    waitedUntilMs: -Infinity,
    waitsUntil: 0,
    endRetrying: undefined,
  };
}

/** A first attempt, with nothing to wait for. */
export const firstAttempt = (answer?: Next<never>['answer']): Next<never> => ({
  kind: 'next',
  wait: undefined,
  last: undefined,
  isAnnounced: false,
  retry: null,
  answer,
});

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

/** The time since the call began. Never negative: the clock may have been set back. */
export function elapsedMs(call: Call<unknown>, atMs: number): number {
  return Math.max(0, atMs - call.startedAt);
}

/** The moment from which a wait counts, because the server's hint counts from there. */
export function countsFrom(call: Call<unknown>, { endedMonotonicMs }: Times, now: number): number {
  // By the monotonic clock. One millisecond less, because a clock that counts whole milliseconds may be ahead by one.
  return now - Math.max(0, call.policy.runtime.monotonic() - endedMonotonicMs - 1);
}

/** The monotonic clock, but never before the end of a wait that has ended. */
export function gateNow(call: Call<unknown>): number {
  return Math.max(call.policy.runtime.monotonic(), call.waitedUntilMs);
}

/** Records the last attempt. `failure`: null for a success. */
export function record(
  call: Call<unknown>,
  { startedAt, endedAt, failed }: Pick<Unjudged<unknown>, 'startedAt' | 'endedAt' | 'failed'>,
  failure: Failure | null,
  wait?: { readonly delayMs: number; readonly because: WaitReason },
): void {
  const target = call.route?.current.name;
  const entry: AttemptRecord = {
    attempt: call.counter.attempts,
    startedAt,
    durationMs: Math.max(0, endedAt - startedAt),
    failure,
    delayMs: wait?.delayMs ?? null,
    because: wait?.because ?? null,
    ...(target !== undefined && { target }),
  };
  call.records.push(sealed(entry, failed?.recorded));
}

/** The error is not enumerable: it may hold secrets, which must not get into a log or a journal. */
function sealed(entry: AttemptRecord, { error }: { readonly error?: unknown } = {}): AttemptRecord {
  return Object.freeze(error === undefined ? entry : Object.defineProperty(entry, 'error', { value: error }));
}

/** Makes the recorded wait after the last attempt longer. */
export function extendWait(call: Call<unknown>, delayMs: number): void {
  const last = call.records.pop();
  if (last !== undefined) call.records.push(sealed({ ...last, delayMs: (last.delayMs ?? 0) + delayMs }, last));
}

export function steeringsOf({ policy }: Call<unknown>): readonly Steering[] {
  return policy.controllers.map((controller) => steeringOf(controller));
}

/** Whether it is an abort of the caller's side; a server may answer with the status 499. */
export function isAbort({ type, status }: Failure): boolean {
  return type === 'aborted' && status === undefined;
}

/** The failure of the last attempt that has ended. */
export function lastFailure(call: Call<unknown>): Failure | undefined {
  return call.records.at(-1)?.failure ?? undefined;
}

/** A frozen snapshot of the attempts so far. */
export function historyOf(call: Call<unknown>): readonly AttemptRecord[] {
  return Object.freeze([...call.records]);
}

/** What the last event of the call reports. */
export function summaryOf(call: Call<unknown>): {
  attempts: number;
  elapsedMs: number;
  history: readonly AttemptRecord[];
} {
  const elapsed = Math.max(0, call.policy.runtime.now() - call.chainStartedAt);
  return { attempts: call.counter.attempts, elapsedMs: elapsed, history: historyOf(call) };
}
