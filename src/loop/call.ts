/**
 * One call from its first attempt to its end, as a plain record. The steps of the loop (plan, wait, send, ending) are
 * functions over it and share nothing else.
 */

import type { RuledFailure } from '../classify/index.ts';
import { Announcer } from '../events/announcer.ts';
import type { Failure, FailureType } from '../failure/failure.ts';
import type { AttemptRecord, StopReason, WaitReason } from '../failure/history.ts';
import type { Route, Target } from '../route/route.ts';
import type { Policy } from '../options/policy.ts';
import type { AttemptOutcome, Exchange } from './exchange.ts';

/** What the call does next. */
export type Plan =
  | {
      readonly kind: 'attempt';
      /** undefined: nothing to wait for. */
      readonly wait: PlannedWait | undefined;
    }
  | {
      readonly kind: 'stop';
      readonly reason: StopDetails;
      /** What the call rejects with if it has no outcome to return. */
      readonly error: Error | undefined;
    }
  /** The caller aborted, or a function from the options threw. */
  | { readonly kind: 'broken'; readonly error: unknown };

/** Why a call ends, as its last event shows it. */
export interface StopDetails {
  readonly because: StopReason;
  /** When the request may succeed, in milliseconds since the epoch; absent where it is not known. */
  readonly possibleAt?: number;
}

export interface PlannedWait {
  readonly ms: number;
  /** When it ends unless it is interrupted, in milliseconds since the epoch. */
  readonly until: number;
  /** undefined: no controller can end it. */
  readonly steering: HeldWait | undefined;
}

/** The wait as a controller holds it. */
export interface HeldWait {
  ended: 'retry-now' | 'given-up' | undefined;
  /** Ends the sleep. */
  readonly interrupt: AbortController;
  readonly withdraw: () => void;
}

/** How the last outcome was read. */
export interface FailedAttempt extends RuledFailure {
  /** What the callbacks get; undefined without a callback. */
  readonly error: Error | undefined;
  /** Whether the body was read to its end, so that the connection is free. */
  readonly drained: boolean;
}

export interface Call<R> {
  readonly policy: Policy;
  readonly exchange: Exchange<R>;
  readonly announcer: Announcer;
  /** When the first attempt or the wait for it began. All times here are milliseconds since the epoch. */
  readonly startedAt: number;
  plan: Plan;
  /** The outcome of the first attempt, if it was sent before this record existed; cleared when it is read. */
  first: AttemptOutcome<R> | undefined;
  /** The outcome of the last attempt; undefined before that, and when it can no longer be returned. */
  outcome: AttemptOutcome<R> | undefined;
  failed: FailedAttempt | undefined;

  /** Attempts that were started. */
  attempts: number;
  attemptStartedAt: number;
  /** When the last attempt ended; the wait after it counts from there. */
  endedAt: number;
  /** The same on the monotonic clock. */
  endedMonotonicMs: number;
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
  /** Whether the wait for the next attempt was announced. */
  isAnnounced: boolean;

  /** Which target is asked, and when; undefined without a gate and without a chain. */
  readonly route: Route | undefined;
  /** The time limit of the current attempt. */
  limit: { readonly signal: AbortSignal | undefined; readonly clear: () => void } | undefined;
  /** By target; undefined is the caller's own request. */
  idempotencyKeys: Map<Target | undefined, string> | undefined;
  /** Tells the controller that the call has ended; undefined before its first wait, and without a controller. */
  endRetrying: (() => void) | undefined;
}

export function newCall<R>(
  policy: Policy,
  exchange: Exchange<R>,
  startedAt: number,
  route: Route | undefined,
): Call<R> {
  return {
    policy,
    exchange,
    announcer: new Announcer(policy.config, exchange, policy.runtime),
    startedAt,
    plan: { kind: 'attempt', wait: undefined },
    first: undefined,
    outcome: undefined,
    failed: undefined,
    attempts: 0,
    attemptStartedAt: startedAt,
    endedAt: startedAt,
    endedMonotonicMs: 0,
    records: [],
    failuresOfType: {},
    totalDelayMs: 0,
    waitedUntilMs: Number.NEGATIVE_INFINITY,
    isAnnounced: false,
    route,
    limit: undefined,
    idempotencyKeys: undefined,
    endRetrying: undefined,
  };
}

/** Whether the first attempt waits for its turn, or for the check of its abort; if not, it is sent synchronously. */
export function waitsFirst({ route, exchange }: Call<unknown>): boolean {
  return route?.hasTurns === true || exchange.signal?.aborted === true;
}

/** Plans the end of a call. `error`: what it rejects with if it has no outcome to return. */
export function stop(call: Call<unknown>, because: StopReason, possibleAt?: number, error?: Error): void {
  const reason = { because, ...(possibleAt !== undefined && { possibleAt }) };
  call.plan = { kind: 'stop', reason, error };
}

/** The time since the call began. Never negative: the clock may have been set back. */
export function elapsedMs(call: Call<unknown>, atMs: number): number {
  return Math.max(0, atMs - call.startedAt);
}

/** The moment from which a wait counts: the response headers, because the server's hint counts from there. */
export function countsFrom(call: Call<unknown>, now: number): number {
  // By the monotonic clock. One millisecond less, because a clock that counts whole milliseconds may be ahead by one.
  return now - Math.max(0, call.policy.runtime.monotonic() - call.endedMonotonicMs - 1);
}

/** The monotonic clock, but never before the end of a wait that has ended. */
export function gateNow(call: Call<unknown>): number {
  return Math.max(call.policy.runtime.monotonic(), call.waitedUntilMs);
}

/** Records the last attempt. `failure`: null for a success. */
export function record(
  call: Call<unknown>,
  failure: Failure | null,
  wait?: { readonly delayMs: number; readonly because: WaitReason },
): void {
  const target = call.route?.name;
  call.records.push(
    Object.freeze({
      attempt: call.attempts,
      startedAt: call.attemptStartedAt,
      durationMs: Math.max(0, call.endedAt - call.attemptStartedAt),
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
