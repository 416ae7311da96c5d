/**
 * One call from its first attempt to its end. The record holds only what belongs to the whole call; what a step learns
 * about one attempt it returns as one of the values below, and the next step gets it.
 */

import { Announcer } from '../events/announcer.ts';
import type { HeldWait } from '../events/steering.ts';
import type { Failure, FailureType } from '../failure/failure.ts';
import type { AttemptRecord } from '../failure/history.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';
import type { GateAnswer, GateRetry } from '../gate/gate.ts';
import type { Route, Target } from '../route/route.ts';
import type { Policy } from '../options/policy.ts';
import type { AttemptOutcome, Exchange } from './exchange.ts';

export interface Call<R> {
  readonly policy: Policy;
  readonly exchange: Exchange<R>;
  readonly announcer: Announcer;
  /** Which target is asked, and when; undefined without a gate and without a chain. */
  readonly route: Route | undefined;
  /** When the first attempt or the wait for it began. All times here are milliseconds since the epoch. */
  readonly startedAt: number;
  /** Attempts that were started. */
  attempts: number;
  /** The attempts that have ended. */
  readonly records: AttemptRecord[];
  /** Failures by type, on the current target. */
  failuresOfType: Partial<Record<FailureType, number>>;
  /** Scheduled waiting, hints included. */
  totalDelayMs: number;
  /**
   * The latest moment that was waited for, on the monotonic clock; it counts as passed even if the clock stands still.
   */
  waitedUntilMs: number;
  /** By target; undefined is the caller's own request. */
  idempotencyKeys: Map<Target | undefined, string> | undefined;
  /** Tells the controller that the call has ended; undefined before its first wait, and without a controller. */
  endRetrying: (() => void) | undefined;
}

/** An attempt that has ended. */
export interface Tried<R> {
  readonly kind: 'tried';
  readonly outcome: AttemptOutcome<R>;
  readonly startedAt: number;
  /** When the response headers, an error or the failure in a held stream came; the wait counts from there. */
  readonly endedAt: number;
  /** The same on the monotonic clock. */
  readonly endedMonotonicMs: number;
}

/** An attempt that has failed, and how it was read. */
export interface Failed<R> extends Omit<Tried<R>, 'kind'> {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** `x-should-retry: false` on a failure that would otherwise be retried. */
  readonly serverSaidStop: boolean;
  /** Whether nothing can have reached the server. */
  readonly wasNotSent: boolean;
  /** What the callbacks get; undefined without a callback. */
  readonly error: Error | undefined;
  /** Whether the body was read to its end, so that the connection is free. */
  readonly drained: boolean;
}

/** An attempt that is to be sent. */
export interface Next<R> {
  readonly kind: 'next';
  /** undefined: nothing to wait for. */
  readonly wait: PlannedWait | undefined;
  /** The attempt before it, if the call may still return its outcome. */
  readonly last: Failed<R> | undefined;
  /** Whether listeners were told of the wait before a first attempt. */
  readonly isAnnounced: boolean;
  /** What the gate was told of this retry; null for a first attempt. */
  readonly retry: GateRetry | null;
  /** The gate's answer for a first attempt that could not be sent at once. */
  readonly answer: GateAnswer | Promise<GateAnswer> | undefined;
}

export interface PlannedWait {
  readonly ms: number;
  /** When it ends unless it is interrupted, in milliseconds since the epoch. */
  readonly until: number;
  /** undefined: no controller can end it. */
  readonly held: HeldWait | undefined;
  /** Takes a function that ends the wait earlier. */
  readonly onFree?: ((wake: () => void) => void) | undefined;
}

/** The end of a call that did not succeed. */
export type End<R> =
  | {
      readonly kind: 'end';
      readonly how: 'stopped';
      readonly reason: StopDetails;
      /** What the call rejects with if it has no outcome to return. */
      readonly error: Error | undefined;
      readonly last: Failed<R> | undefined;
    }
  /** The caller aborted while an attempt was in flight; `outcome` is what it settled with. */
  | {
      readonly kind: 'end';
      readonly how: 'aborted';
      readonly outcome: AttemptOutcome<R>;
    }
  /** The caller aborted at another time, or a function from the options or a gate threw. */
  | {
      readonly kind: 'end';
      readonly how: 'broken';
      readonly error: unknown;
      readonly last: Tried<R> | Failed<R> | undefined;
    };

/** Why a call ends, as its last event shows it. */
export interface StopDetails {
  readonly because: StopReason;
  /** When the request may succeed, in milliseconds since the epoch; absent where it is not known. */
  readonly possibleAt?: number;
}

/** `attempts`: those that were sent before the record was needed. */
export function newCall<R>(
  policy: Policy,
  exchange: Exchange<R>,
  startedAt: number,
  route: Route | undefined,
  attempts: number,
): Call<R> {
  return {
    policy,
    exchange,
    announcer: new Announcer(policy.config, exchange, policy.runtime),
    route,
    startedAt,
    attempts,
    records: [],
    failuresOfType: {},
    totalDelayMs: 0,
    waitedUntilMs: Number.NEGATIVE_INFINITY,
    idempotencyKeys: undefined,
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
  last: Failed<R> | undefined,
  because: StopReason,
  possibleAt?: number,
  error?: Error,
): End<R> {
  const reason = { because, ...(possibleAt !== undefined && { possibleAt }) };
  return { kind: 'end', how: 'stopped', reason, error, last };
}

export function broken<R>(error: unknown, last: Tried<R> | Failed<R> | undefined): End<R> {
  return { kind: 'end', how: 'broken', error, last };
}

/** The time since the call began. Never negative: the clock may have been set back. */
export function elapsedMs(call: Call<unknown>, atMs: number): number {
  return Math.max(0, atMs - call.startedAt);
}

/** The moment from which a wait counts: the response headers, because the server's hint counts from there. */
export function countsFrom(call: Call<unknown>, { endedMonotonicMs }: Failed<unknown>, now: number): number {
  // By the monotonic clock. One millisecond less, because a clock that counts whole milliseconds may be ahead by one.
  return now - Math.max(0, call.policy.runtime.monotonic() - endedMonotonicMs - 1);
}

/** The monotonic clock, but never before the end of a wait that has ended. */
export function gateNow(call: Call<unknown>): number {
  return Math.max(call.policy.runtime.monotonic(), call.waitedUntilMs);
}

/** Counts a failure, and returns how many of its type the current target has had. */
export function countFailure({ failuresOfType }: Call<unknown>, { type }: Failure): number {
  return (failuresOfType[type] = (failuresOfType[type] ?? 0) + 1);
}

/** Another target has had no failure yet. */
export function countAnew(call: Call<unknown>): void {
  call.failuresOfType = {};
}

/** Records the last attempt. `failure`: null for a success. */
export function record(
  call: Call<unknown>,
  { startedAt, endedAt }: Pick<Tried<unknown>, 'startedAt' | 'endedAt'>,
  failure: Failure | null,
  wait?: { readonly delayMs: number; readonly because: WaitReason },
): void {
  const target = call.route?.current.name;
  call.records.push(
    Object.freeze({
      attempt: call.attempts,
      startedAt,
      durationMs: Math.max(0, endedAt - startedAt),
      failure,
      delayMs: wait?.delayMs ?? null,
      because: wait?.because ?? null,
      ...(target !== undefined && { target }),
    }),
  );
}

/** Makes the recorded wait after the last attempt longer. */
export function extendWait(call: Call<unknown>, delayMs: number): void {
  const last = call.records.pop();
  if (last !== undefined) call.records.push(Object.freeze({ ...last, delayMs: (last.delayMs ?? 0) + delayMs }));
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
  const now = call.policy.runtime.now();
  return { attempts: call.attempts, elapsedMs: elapsedMs(call, now), history: historyOf(call) };
}
