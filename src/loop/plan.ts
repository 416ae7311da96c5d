/**
 * The plan of a call after a failure: what follows, at which target, and when. First `decide` reads the failure. Then
 * the target is chosen, and its gate gives an estimate. Then `checkMoment` compares the moment with the limits. Last,
 * the listeners are told. If the gate or the chain says "not yet" at that moment, `planAgain` moves it.
 */

import { wasNotSent } from '../classify/index.ts';
import type { RetryController } from '../events/controller.ts';
import { steeringOf } from '../events/steering.ts';
import { notify } from '../events/events.ts';
import type { Failure } from '../failure/failure.ts';
import { formatDelay } from '../failure/format-delay.ts';
import type { StopReason, WaitReason } from '../failure/history.ts';
import type { FallbackChain, NextTarget } from '../fallback/fallback.ts';
import type { GateRefusal } from '../events/gate-event.ts';
import type { GateRetry } from '../gate/gate.ts';
import { GateRefusedError, type GateRefusedReason } from '../gate/gate-refused-error.ts';
import { operationSafety, unknownLabel } from '../policy/policy.ts';
import { raceAbort } from './abort.ts';
import {
  type Call,
  countsFrom,
  elapsedMs,
  extendWait,
  type FailedAttempt,
  gateNow,
  historyOf,
  record,
  type HeldWait,
  targetName,
} from './call.ts';
import { checkMoment, type Decision, decide, reachableRetries, type Situation } from './decide.ts';
import { headersOf, readOutcome } from './outcome.ts';
import { type Choice, chooseTarget, dismiss, GO, holdOf, type Place, settleOn, turnTo, waitOf } from './route.ts';
import { letGo } from './send.ts';

/** Plans what follows a failed attempt. A plan that has already ended the call is kept. */
export async function plan(call: Call<unknown>): Promise<void> {
  if (call.plan.kind !== 'attempt' || call.outcome === undefined) return;
  try {
    const failed = await readOutcome(call, call.outcome);
    call.failed = failed;
    reportFailure(call, failed.failure);
    const [situation, next] = situationOf(call, failed);
    const { runtime } = call.policy;
    const decision = await permit(call, decide(situation, call.policy, runtime.random), failed.failure);
    if (decision.retry) await planRetry(call, decision, situation, next);
    else stopAfterFailure(call, withAdvice(call, failed, decision.because), decision.because, next?.waitMs);
  } catch (error) {
    call.plan = { kind: 'broken', error };
  }
}

/** A label that is not known stops retries, which the person who misspelt it has to see. */
function withAdvice(call: Call<unknown>, failed: FailedAttempt, because: StopReason): Failure {
  const label = because === 'irreversible-operation' ? unknownLabel(call.policy, call.announcer) : undefined;
  if (label === undefined) return failed.failure;
  const action = `The operation label "${label}" is not known, so the request is not repeated: use a known label, or set \`unknownOperation\`.`;
  const failure = Object.freeze({ ...failed.failure, action });
  call.failed = { ...failed, failure };
  return failure;
}

/** What `decide` needs to know, and the next target of the chain after this failure. */
function situationOf(
  call: Call<unknown>,
  { failure, serverSaidStop }: FailedAttempt,
): readonly [Situation, NextTarget | undefined] {
  const { policy, failuresOfType } = call;
  const attemptsOfType = (failuresOfType[failure.type] ?? 0) + 1;
  failuresOfType[failure.type] = attemptsOfType;
  const chain = policy.config.fallback;
  const fallsBack = policy.strategies.get(failure.type)?.fallback;
  const led = chain?.next(failure, call.asked, gateNow(call), fallsBack);
  const { isExhausted, afterRetries, ...counts } = countOnTarget(call, chain, led);
  const next = isExhausted ? undefined : led;
  const fallback = next === undefined ? null : { restMs: next.waitMs, afterRetries };
  const { totalDelayMs } = call;
  return [
    {
      failure,
      serverSaidStop,
      ...counts,
      attemptsOfType,
      totalDelayMs,
      elapsedMs: elapsedMs(call, countsFrom(call, policy.runtime.now())),
      obstacle: failure.retryable || fallback !== null ? obstacleTo(call, failure) : null,
      fallback,
    },
    next,
  ];
}

interface TargetCount {
  readonly attempts: number;
  readonly maxRetries: number;
  /** Retries on this target before the next is tried. */
  readonly afterRetries: number;
  /** Whether the chain may not be used any more. */
  readonly isExhausted: boolean;
}

/** How the attempts of this call count on its current target. */
function countOnTarget(
  { policy: { maxRetries, backoff }, attempts, attemptsBefore, firstTurns, asked }: Call<unknown>,
  chain: FallbackChain | undefined,
  next: NextTarget | undefined,
): TargetCount {
  if (chain?.choose !== undefined) {
    // A target that is used again costs a retry, or the rotation would never end.
    const counted = attempts - firstTurns;
    const isNew = next !== undefined && next.waitMs === 0 && !asked.includes(next.target);
    const hasEnded = counted > maxRetries || backoff.delayFor(counted - 1, { random: () => 0 }) === undefined;
    return { attempts: counted, maxRetries, afterRetries: 0, isExhausted: !isNew && hasEnded };
  }
  const onTarget = attemptsBefore === 0 ? maxRetries : (chain?.additionalRetries ?? 0);
  // A further target has its retries to the end.
  const afterRetries = attemptsBefore === 0 ? Math.min(maxRetries, chain?.maxRetriesBeforeFallback ?? 0) : onTarget;
  return { attempts: attempts - attemptsBefore, maxRetries: onTarget, afterRetries, isExhausted: false };
}

/** Why the request may not be repeated, independent of the failure. A first attempt is never refused. */
function obstacleTo({ policy, exchange, announcer }: Call<unknown>, failure: Failure): Situation['obstacle'] {
  const { controller, rollback, retryIrreversible, methods } = policy.config;
  if (controller?.enabled === false) return 'disabled';
  if (methods !== undefined && !methods.includes(exchange.method)) return 'refused-by-caller';
  // Even if nothing was sent, a body stream may have been read.
  if (!exchange.replayable) return 'body-not-replayable';
  if (policy.config.operation === undefined) return null;
  const safety = operationSafety(policy, announcer);
  if (safety === 'safe' || retryIrreversible === true || wasNotSent(failure)) return null;
  return safety === 'conditional' && rollback !== undefined ? null : 'irreversible-operation';
}

/** Calls `shouldRetry`, if there is one. Raced with the abort; rejects with what it throws. */
async function permit(call: Call<unknown>, decision: Decision, failure: Failure): Promise<Decision> {
  const { shouldRetry } = call.policy.config;
  if (!decision.retry || shouldRetry === undefined) return decision;
  const { delayMs, because } = decision;
  const { identity } = call.announcer;
  const context = { ...identity, attempt: call.attempts, failure, delayMs, because, history: historyOf(call) };
  const asked = (async () => shouldRetry(context))();
  return (await raceAbort(asked, call.exchange.signal)) ? decision : { retry: false, because: 'refused-by-caller' };
}

type Retry = Extract<Decision, { retry: true }>;

/** A wait with its end, in milliseconds since the epoch. */
interface Wait {
  readonly delayMs: number;
  readonly until: number;
  readonly because: WaitReason;
}

/** Plans a retry: the target and its gate, the moment, the listeners. */
async function planRetry(
  call: Call<unknown>,
  decision: Retry,
  situation: Situation,
  next: NextTarget | undefined,
): Promise<void> {
  const { policy } = call;
  const { failure } = situation;
  call.gateRetry = gateRetryOf(call, failure, decision.delayMs);
  const own = ownPlace(call, decision, next);
  // Most calls have no gate.
  const choice =
    policy.config.gate === undefined
      ? { target: own.target, session: undefined, restMs: 0, answer: GO }
      : await chooseTarget(call, own, failure, 'estimate');
  const { answer } = choice;
  if (!answer.go && answer.refused !== null) {
    dismiss(call, choice);
    stopAfterFailure(call, failure, REFUSED[answer.refused], answer.waitMs);
    return;
  }
  const now = policy.runtime.now();
  // The wait that was decided belongs to the own target; another one is used at once.
  const planned =
    choice.target === own.target ? ownWait(call, decision, now) : waitFrom(now, choice.restMs, 'fallback');
  const wait = answer.go ? planned : laterOf(planned, waitFrom(now, answer.waitMs, answer.because));
  const holdMs = answer.go ? 0 : answer.holdMs;
  const limit = checkMoment({ ...wait, elapsedMs: elapsedMs(call, wait.until), holdMs }, call.totalDelayMs, policy);
  if (limit !== null) {
    dismiss(call, choice);
    stopAfterFailure(call, failure, limit, wait === planned ? next?.waitMs : wait.delayMs);
    return;
  }
  record(call, failure, wait);
  if (choice.target !== call.asked.at(-1)) turnTo(call, choice, failure);
  const { attempts, announcer } = call;
  waitFor(call, wait, now, decision.because !== 'cooldown', () => {
    const { error } = call.failed ?? {};
    if (error !== undefined) notify(policy.config.onRetry, attempts, error, wait.delayMs);
    if (!announcer.isHeard) return;
    const { delayMs, until: nextAttemptAt, because } = wait;
    const maxRetries = maxRetriesOf(call, situation);
    announcer.emit({ type: 'retry', attempt: attempts, maxRetries, delayMs, nextAttemptAt, because, failure });
  });
  // A waiting call holds as little as possible: without a gate, a rotation or a controller this response is not needed
  // any more.
  const { gate, controller, fallback } = policy.config;
  if (gate === undefined && controller === undefined && fallback?.choose === undefined) letGo(call);
}

/** The target that the decision names, before the gate is asked. */
function ownPlace(call: Call<unknown>, { because, delayMs }: Retry, next: NextTarget | undefined): Place {
  const current = call.asked.at(-1);
  if (because === 'fallback' && next !== undefined) return next;
  // With a gate, a hint makes only the target that gave it rest, so another target of the chain may be used.
  const isBound = because === 'hint' && call.policy.config.gate !== undefined && next !== undefined;
  return { target: current, waitMs: isBound || because === 'cooldown' ? delayMs : 0 };
}

/** The wait that was decided. A rest counts from now, any other wait from the response headers. */
function ownWait(call: Call<unknown>, { delayMs, because }: Retry, now: number): Wait {
  const from = because === 'cooldown' ? now : countsFrom(call, now);
  return { delayMs, until: Math.max(now, from + delayMs), because };
}

const waitFrom = (now: number, delayMs: number, because: WaitReason): Wait => ({
  delayMs,
  until: now + delayMs,
  because,
});

const laterOf = (one: Wait, other: Wait): Wait => (other.until > one.until ? other : one);

/**
 * Called when the gate or the chain says "not yet" at the moment of an attempt: the call waits longer, or stops. If no
 * attempt was sent yet, it rejects with an error.
 */
export function planAgain(call: Call<unknown>, choice: Choice): void {
  const { policy, announcer } = call;
  const { answer, restMs } = choice;
  const now = policy.runtime.now();
  if (!answer.go && answer.refused !== null) {
    refuse(call, choice, REFUSED[answer.refused], answer.refused, answer.waitMs);
    return;
  }
  const because = restMs > 0 || answer.go ? 'cooldown' : answer.because;
  const wait = waitFrom(now, waitOf(choice), because);
  if (restMs > 0) call.rests += 1;
  const moment = { ...wait, elapsedMs: elapsedMs(call, wait.until), holdMs: holdOf(choice) };
  const isEndless = wait.delayMs === Number.POSITIVE_INFINITY || call.rests > policy.maxRetries + 1;
  const limit = isEndless ? 'retries-exhausted' : checkMoment(moment, call.totalDelayMs, policy);
  if (limit !== null) {
    refuse(call, choice, limit, 'cooldown-too-long', wait.delayMs);
    return;
  }
  extendWait(call, wait.delayMs);
  if (choice.target !== call.asked.at(-1)) settleOn(call, choice);
  waitFor(call, wait, now, restMs === 0, () => {
    const { delayMs, until: nextAttemptAt } = wait;
    announcer.emit({ type: 'delayed', attempt: call.attempts + 1, delayMs, nextAttemptAt, because });
    call.isAnnounced = true;
  });
}

/**
 * Plans the wait and announces it. The controller knows it before that, so that a listener can end it at once.
 *
 * @param now the time that `until` was computed with. A second reading of a clock that counts whole milliseconds may be
 *   one ahead, and the wait too short by one.
 * @param allowsRetryNow false: every target rests until then, so `retryNow` does not end the wait
 */
function waitFor(
  call: Call<unknown>,
  { delayMs, until }: Wait,
  now: number,
  allowsRetryNow: boolean,
  announce: () => void,
): void {
  const { controller } = call.policy.config;
  call.totalDelayMs += delayMs;
  const steering = controller && steer(call, controller, until, allowsRetryNow);
  call.plan = { kind: 'attempt', wait: { ms: until - now, until, steering } };
  announce();
}

function steer(call: Call<unknown>, controller: RetryController, until: number, allowsRetryNow: boolean): HeldWait {
  call.endRetrying ??= steeringOf(controller).begin();
  const steering: HeldWait = {
    ended: undefined,
    wake: undefined,
    withdraw: steeringOf(controller).offer({
      until,
      end: (how) => {
        if (how === 'retry-now' && !allowsRetryNow) return;
        steering.ended = how;
        steering.wake?.();
      },
    }),
  };
  return steering;
}

/** What the gate is told about a retry; null without a gate. */
function gateRetryOf(call: Call<unknown>, failure: Failure, delayMs: number): GateRetry | null {
  if (call.policy.config.gate === undefined) return null;
  return { failure: acceptedFailure(call, failure), atMs: gateNow(call) + delayMs };
}

/** Reports a failed attempt to the gate. An abort says nothing about the server. */
function reportFailure(call: Call<unknown>, failure: Failure): void {
  if (call.session === undefined) return;
  const headers = headersOf(call.outcome);
  call.session.report(
    gateNow(call),
    failure.type === 'aborted'
      ? { type: 'cancelled' }
      : { type: 'failure', failure: acceptedFailure(call, failure), headers },
  );
}

/** A failure with the hint that the policy accepts, so that a hint means the same with and without a gate. */
function acceptedFailure({ policy: { retryAfter, maxDelayMs } }: Call<unknown>, failure: Failure): Failure {
  const { retryAfterMs, ...rest } = failure;
  if (retryAfterMs === undefined) return failure;
  switch (retryAfter) {
    case 'obey':
      return failure;
    case 'clamp':
      return { ...failure, retryAfterMs: Math.min(retryAfterMs, maxDelayMs) };
    case 'ignore':
      return rest;
  }
}

/** The retries that the call can reach, for the counter that users see; null without a limit. */
function maxRetriesOf(call: Call<unknown>, situation: Situation): number | null {
  const { policy, attempts, attemptsBefore, firstTurns } = call;
  const { fallback: chain } = policy.config;
  // The call has just moved to another target.
  if (chain?.choose === undefined && attemptsBefore === attempts) return attempts + (chain?.additionalRetries ?? 0);
  const reachable = reachableRetries(situation, policy);
  if (reachable === null) return null;
  return reachable + (chain?.choose === undefined ? attemptsBefore : firstTurns);
}

/** Ends a call after a failure. `restMs`: how long the gate or the chain would make it wait. */
function stopAfterFailure(
  call: Call<unknown>,
  failure: Failure,
  because: StopReason,
  restMs: number | undefined,
): void {
  record(call, failure);
  const waitMs = restMs || failure.retryAfterMs;
  call.plan = {
    kind: 'stop',
    because,
    possibleAt: waitMs === undefined ? null : call.endedAt + waitMs,
    error: null,
  };
}

/** Ends a call whose next attempt is refused by the gate or the chain. */
function refuse(
  call: Call<unknown>,
  choice: Choice,
  because: StopReason,
  reason: GateRefusedReason,
  waitMs: number,
): void {
  dismiss(call, choice);
  const { session, target } = choice;
  const now = call.policy.runtime.now();
  const isKnown = waitMs > 0 && waitMs !== Number.POSITIVE_INFINITY;
  const name = target?.name ?? targetName(call) ?? '';
  const error =
    session === undefined || waitMs === Number.POSITIVE_INFINITY
      ? new Error(
          isKnown
            ? resting(name, waitMs)
            : `No target is left: ${name} and all others were refused for good. Replace them.`,
        )
      : new GateRefusedError(session.key, reason, isKnown ? waitMs : 0, now);
  call.plan = { kind: 'stop', because, possibleAt: isKnown ? now + waitMs : null, error };
}

function resting(name: string, waitMs: number): string {
  return `Every target rests: ${name} is free first, in ${formatDelay(waitMs)}. Try again then.`;
}

/** Ends a waiting call after `giveUp`. */
export function giveUp(call: Call<unknown>, until: number): void {
  const now = call.policy.runtime.now();
  const name = call.session?.key ?? targetName(call) ?? 'the server';
  const error = new GateRefusedError(name, 'given-up', Math.max(0, until - now), now);
  call.plan = { kind: 'stop', because: 'given-up', possibleAt: until, error };
}

/** A full line has no reason of its own; it is reported as an empty retry budget. */
const REFUSED: Readonly<Record<GateRefusal, StopReason>> = {
  'retry-budget-empty': 'retry-budget-empty',
  'circuit-open': 'circuit-open',
  'too-many-waiting': 'retry-budget-empty',
};
