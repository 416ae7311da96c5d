/**
 * One call from its first attempt to its end, as a plain record. The steps of the loop (plan, wait, send, ending) are
 * functions over it, and this file is all that they share.
 */

import { Announcer } from '../events/announcer.ts';
import type { Failure, FailureType } from '../failure/failure.ts';
import type { AttemptRecord, StopReason, WaitReason } from '../failure/history.ts';
import type { Target } from '../fallback/fallback.ts';
import type { GateAnswer, GateRetry, GateSession } from '../gate/gate.ts';
import type { Policy } from '../policy/policy.ts';
import type { AttemptOutcome, Exchange } from './exchange.ts';

/** What the call does next. */
export type Plan =
  | {
      readonly kind: 'attempt';
      /** undefined: the caller's own request. */
      readonly target: Target | undefined;
      /** undefined: nothing to wait for. */
      readonly wait: PlannedWait | undefined;
    }
  | {
      readonly kind: 'stop';
      readonly because: StopReason;
      /** When the request may succeed, in milliseconds since the epoch; null: unknown. */
      readonly possibleAt: number | null;
      /** What a call rejects with that has no outcome to hand back. */
      readonly error: Error | null;
    }
  /** The caller aborted, or a function of the caller's own threw. */
  | { readonly kind: 'broken'; readonly error: unknown };

export interface PlannedWait {
  readonly ms: number;
  /** When it ends by itself, in milliseconds since the epoch. */
  readonly until: number;
  /** undefined: no controller can end it. */
  readonly steering: Steering | undefined;
}

/** The wait as a controller holds it. */
export interface Steering {
  ended: 'retry-now' | 'given-up' | undefined;
  /** Ends the sleep. */
  wake: (() => void) | undefined;
  readonly withdraw: () => void;
}

/** How the last outcome was read. */
export interface FailedAttempt {
  readonly failure: Failure;
  /** `x-should-retry: false` on a failure that would otherwise be retried. */
  readonly serverSaidStop: boolean;
  /** What the callbacks get; undefined where there is no callback. */
  readonly error: Error | undefined;
  /** Whether the body was read to its end, so that nothing is held on the wire. */
  readonly drained: boolean;
}

export interface Call<R> {
  readonly policy: Policy;
  readonly exchange: Exchange<R>;
  readonly announcer: Announcer;
  /** When the first attempt began, or the wait for it. Milliseconds since the epoch, as are all times here. */
  readonly startedAt: number;
  plan: Plan;
  /** What the first attempt ended in, where it was sent before there was a reason to have a record; not read yet. */
  first: AttemptOutcome<R> | undefined;
  /** What the last attempt ended in; undefined before that, and once the call cannot hand it back any more. */
  outcome: AttemptOutcome<R> | undefined;
  failed: FailedAttempt | undefined;

  /** Attempts that were begun. */
  attempts: number;
  attemptStartedAt: number;
  /** When the last attempt gave its outcome: the wait after it counts from there. */
  endedAt: number;
  /** The same on the gate's clock, which is never set. */
  endedMonotonicMs: number;
  /** The attempts that are over. */
  readonly records: AttemptRecord[];
  /** Failures by type, on the present target. */
  failuresOfType: Partial<Record<FailureType, number>>;
  /** Scheduled waiting, hints included. */
  totalDelayMs: number;
  /** The longest of all moments that were waited for, on the gate's clock: a clock that stands still has passed it. */
  waitedUntilMs: number;
  /** Whether the wait for the coming attempt was announced. */
  isAnnounced: boolean;

  /** The targets of this call so far, the caller's own request left out. */
  readonly asked: Target[];
  /** Attempts made before the call turned to the present target. */
  attemptsBefore: number;
  /** Turns to a target that this call had not asked: with a chain that chooses for each attempt they cost no retry. */
  firstTurns: number;
  /** Waits in which every target rested. */
  rests: number;

  /** The gate's session of the present target. */
  session: GateSession | undefined;
  /** What the gate said when the first attempt asked for its turn, not read yet. */
  firstAnswer: GateAnswer | Promise<GateAnswer> | undefined;
  /** What the gate is told of the coming retry. */
  gateRetry: GateRetry | null;
  /** Ends the limit on the time of the attempt under way. */
  clearLimit: (() => void) | undefined;
  /** The signal of the attempt under way, where it has a limit. */
  limitSignal: AbortSignal | undefined;
  /** By target, where there are any; the caller's own request is undefined. */
  idempotencyKeys: Map<Target | undefined, string> | undefined;
  /** Tells the controller that the call has ended; undefined before its first wait or failure. */
  endRetrying: (() => void) | undefined;
}

export function newCall<R>(
  policy: Policy,
  exchange: Exchange<R>,
  startedAt: number,
  session: GateSession | undefined,
): Call<R> {
  return {
    policy,
    exchange,
    announcer: new Announcer(policy.config, exchange, policy.runtime),
    startedAt,
    plan: { kind: 'attempt', target: undefined, wait: undefined },
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
    asked: [],
    attemptsBefore: 0,
    firstTurns: 0,
    rests: 0,
    session,
    firstAnswer: undefined,
    gateRetry: null,
    clearLimit: undefined,
    limitSignal: undefined,
    idempotencyKeys: undefined,
    endRetrying: undefined,
  };
}

/** Since the call began. A clock that was set back has not given any time back. */
export function elapsedMs(call: Call<unknown>, atMs: number): number {
  return Math.max(0, atMs - call.startedAt);
}

/** From when a wait counts: the response head, as the server's hint does. */
export function countsFrom(call: Call<unknown>, now: number): number {
  // By the clock that is never set. A clock may count whole milliseconds, so one of those that seem to have passed may not
  // have.
  return now - Math.max(0, call.policy.runtime.monotonic() - call.endedMonotonicMs - 1);
}

/** The gate's clock, which a wait that has ended has moved on. */
export function gateNow(call: Call<unknown>): number {
  return Math.max(call.policy.runtime.monotonic(), call.waitedUntilMs);
}

/** The name of the present target; undefined without a chain. */
export function targetName(call: Call<unknown>): string | undefined {
  return call.asked.at(-1)?.name ?? call.policy.config.fallback?.primary;
}

/** Records the last attempt. `failure`: null for a success. */
export function record(
  call: Call<unknown>,
  failure: Failure | null,
  wait?: { readonly delayMs: number; readonly because: WaitReason },
): void {
  const target = targetName(call);
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

/** The wait after the last attempt became longer. */
export function extendWait(call: Call<unknown>, delayMs: number): void {
  const last = call.records.pop();
  if (last !== undefined) call.records.push(Object.freeze({ ...last, delayMs: (last.delayMs ?? 0) + delayMs }));
}

/** The failure of the last attempt that is over. */
export function lastFailure(call: Call<unknown>): Failure | undefined {
  return call.records.at(-1)?.failure ?? undefined;
}

/** A frozen snapshot of the attempts so far. */
export function historyOf(call: Call<unknown>): readonly AttemptRecord[] {
  return Object.freeze([...call.records]);
}

/** What the last event of the call says of it. */
export function summaryOf(call: Call<unknown>): {
  attempts: number;
  elapsedMs: number;
  history: readonly AttemptRecord[];
} {
  const now = call.policy.runtime.now();
  return { attempts: call.attempts, elapsedMs: elapsedMs(call, now), history: historyOf(call) };
}
