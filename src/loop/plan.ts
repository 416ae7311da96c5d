/**
 * The second step of a round: turns a failed attempt into the next one, or into the end. First `decide` says
 * whether to retry. Then the target is chosen, and its gate gives an estimate. Then `checkMoment`
 * compares the moment with the limits. Last, the listeners are told. If the gate or the chain says "not yet" at that
 * moment, `planAgain` moves it.
 */

import { type Steering, steeringOf } from '../events/steering.ts';
import { notify } from '../events/events.ts';
import type { Failure } from '../failure/failure.ts';
import { failureBody, rememberBody } from '../failure/failure-body.ts';
import { adviceOn } from '../options/operation.ts';
import { isSwitchedOff } from '../options/policy.ts';
import type { StopReason, WaitReason } from '../failure/reasons.ts';
import { GateRefusedError, withReason } from '../gate/gate-refused-error.ts';
import type { Choice, Move, Route, RouteObstacle, Standing } from '../route/route.ts';
import { raceAbort } from '../runtime/abort.ts';
import {
  broken,
  type Call,
  countsFrom,
  elapsedMs,
  type End,
  extendWait,
  firstAttempt,
  gateNow,
  infoOf,
  lastFailure,
  type Next,
  type PlannedWait,
  record,
  stopped,
  type StoppedEnd,
  type Tried,
} from './call.ts';
import type { GivenUp } from './face.ts';
import { checkMoment, type Decision, decide, mayHelp, reachableRetries, type Situation } from './decide.ts';

/** Plans what follows a failed attempt. */
export async function plan<R>(call: Call<R>, tried: Tried<R>): Promise<Next<R> | End<R>> {
  try {
    const { failure, failed } = tried;
    call.route?.report(gateNow(call), { type: 'failure', failure, headers: failed.headers });
    const standing = standingOf(call, failure);
    const obstacle = mayHelp(failure, call.policy) || standing.fallback !== null ? obstacleTo(call, tried) : null;
    const situation = situationOf(call, tried, standing, obstacle instanceof Promise ? await obstacle : obstacle);
    const decision = await permit(call, tried, decide(situation, call.policy, call.policy.runtime.random));
    if (decision.retry) return await planRetry(call, tried, decision, situation, standing);
    const advised = withAdvice(call, tried, decision.because);
    return stopAfterFailure(call, advised, decision.because, situation.fallback?.restMs);
  } catch (error) {
    return broken(error, tried);
  }
}

/** A label that is not known stops retries, which the person who misspelt it has to see. */
function withAdvice<R>(call: Call<R>, tried: Tried<R>, because: StopReason): Tried<R> {
  const action = because === 'irreversible-operation' ? adviceOn(call.face.operation) : undefined;
  if (action === undefined) return tried;
  const failure = Object.freeze({ ...tried.failure, action });
  const body = failureBody(tried.failure);
  if (body !== undefined) rememberBody(failure, body);
  return { ...tried, failure };
}

/** How the attempt counts on its target. */
function standingOf(call: Call<unknown>, failure: Failure): Standing {
  const { counter, policy, route } = call;
  const alone = { maxRetries: policy.maxRetries, fallback: null, retriesElsewhere: 0 };
  return route?.standing?.(gateNow(call), failure, counter) ?? alone;
}

/** What `decide` needs to know. */
function situationOf(
  call: Call<unknown>,
  tried: Tried<unknown>,
  { maxRetries, fallback }: Standing,
  obstacle: StopReason | null,
): Situation {
  const { policy, counter } = call;
  const { failure, ruledOut, startedAt, endedAt } = tried;
  return {
    // First, because a spread after other members is slow.
    ...counter.count(failure, Math.max(0, endedAt - startedAt), policy.strategies),
    failure,
    ruledOut,
    maxRetries,
    fallback,
    elapsedMs: elapsedMs(call, countsFrom(call, tried, policy.runtime.now())),
    obstacle,
  };
}

/** Why the attempt may not be repeated, independent of the failure. A first attempt is never refused. */
function obstacleTo(
  { policy, counter }: Call<unknown>,
  { failed }: Tried<unknown>,
): ReturnType<typeof failed.obstacle> {
  if (counter.isSpent) return 'retries-exhausted';
  return isSwitchedOff(policy) ? 'disabled' : failed.obstacle();
}

/** Asks `stopIf`, if there is one. Raced with the abort and `giveUp`; rejects with what it throws. */
async function permit(call: Call<unknown>, { failure, failed }: Tried<unknown>, decision: Decision): Promise<Decision> {
  const { stopIf } = call.policy.config;
  if (!decision.retry || stopIf === undefined) return decision;
  const { delayMs, because } = decision;
  const { error } = failed.result();
  const retry = { ...infoOf(call), ...(error !== undefined && { error }), failure, delayMs, because };
  const [steering, ...others] = steeringsOf(call);
  const held = steering?.hold(Infinity, false, others);
  const givenUp = new Promise<boolean>((resolve) => held?.onEnd(() => resolve(true)));
  try {
    const stops = await raceAbort(Promise.race([(async () => stopIf(retry))(), givenUp]), call.face.signal);
    if (held?.ended !== undefined) return { retry: false, because: 'given-up' };
    return stops ? { retry: false, because: 'refused-by-caller' } : decision;
  } finally {
    held?.withdraw();
  }
}

type Retry = Extract<Decision, { retry: true }>;

/** A wait as events show it. */
interface Wait {
  readonly delayMs: number;
  /** Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
  readonly because: WaitReason;
}

/** Plans a retry: the target and its gate, the moment, the listeners. */
async function planRetry<R>(
  call: Call<R>,
  tried: Tried<R>,
  decision: Retry,
  situation: Situation,
  standing: Standing,
): Promise<Next<R> | End<R>> {
  const { policy, route } = call;
  const { failure, error } = tried;
  const { fallback } = standing;
  // Most calls have no route.
  const chosen = route?.plan(gateNow(call), { ...decision, failure, next: fallback?.next });
  const choice = chosen instanceof Promise ? await raceChoice(call, chosen) : chosen;
  const obstacle = choice?.obstacle ?? null;
  const now = policy.runtime.now();
  // The wait that was decided belongs to the target that it names; another one is used at once.
  const ownOrRest =
    choice?.passedOver === undefined ? ownWait(call, tried, decision, now) : waitFrom(now, choice.restMs, 'fallback');
  const wait = obstacle === null ? ownOrRest : laterOf(ownOrRest, waitFrom(now, obstacle.waitMs, obstacle.because));
  const refused = obstacle?.stop ?? limitOn(call, wait, obstacle?.holdMs ?? 0);
  if (refused !== null) {
    if (choice !== undefined) route?.leave(gateNow(call), choice);
    const isHeld = obstacle !== null && (obstacle.stop !== null || wait !== ownOrRest);
    return stopAfterFailure(call, tried, refused, isHeld && !obstacle.isGuess ? obstacle.waitMs : fallback?.restMs);
  }
  record(call, tried, failure, wait);
  if (decision.moves || decision.rests === 'all targets') route?.rest(gateNow(call), failure, true);
  const move = choice && route?.adopt?.(gateNow(call), choice, call.counter, failure);
  moved(call, move);
  const { announcer } = call;
  const { attempts } = call.counter;
  // A waiting call holds as little as possible: without a gate, a rotation or a controller this response is not needed
  // any more.
  const isKept = policy.controllers.length > 0 || route !== undefined;
  // A key that rests is not sent before.
  const allowsRetryNow = decision.rests !== 'all targets' || Boolean(move);
  const planned = waitFor(call, wait, wait.delayMs, now, allowsRetryNow, () => {
    if (error !== undefined) for (const listener of policy.onRetry) notify(listener, attempts, error, wait.delayMs);
    if (!announcer.isHeard) return;
    announcer.emit({
      type: 'retry',
      retry: attempts,
      maxRetries: maxRetriesOf(call, situation, standing, move),
      ...wait,
      failure,
    });
  });
  if (!isKept) tried.failed.discard();
  return {
    kind: 'next',
    wait: { ...planned, obstacle },
    last: isKept ? tried : undefined,
    isAnnounced: false,
    retry: choice?.retry ?? null,
    answer: undefined,
  };
}

/** Waits for a choice. An abort does not wait for a slow gate, and a late answer must give back what it took. */
export function raceChoice(call: Call<unknown>, choosing: Promise<Choice>): Promise<Choice> {
  return raceAbort(choosing, call.face.signal, ({ session }) => session?.leave(gateNow(call)));
}

/** Announces the move to another target, where the counting by type starts again. */
export function moved(call: Call<unknown>, move: Move | null | undefined): void {
  if (!move) return;
  const { from, to, failure } = move;
  call.counter.move(from, to);
  call.announcer.emit({ type: 'fallback', from, to, failure });
}

/** The wait that was decided. A rest counts from now, any other wait from the response headers. */
function ownWait(call: Call<unknown>, tried: Tried<unknown>, { delayMs, because, rests }: Retry, now: number): Wait {
  const from = rests === 'all targets' ? now : countsFrom(call, tried, now);
  return { delayMs, nextAttemptAt: Math.max(now, from + delayMs), because };
}

const waitFrom = (now: number, delayMs: number, because: WaitReason): Wait => ({
  delayMs,
  nextAttemptAt: now + delayMs,
  because,
});

/** What keeps the call from a wait; null: nothing. */
function limitOn(call: Call<unknown>, wait: Wait, holdMs: number, isStated?: boolean): StopReason | null {
  return checkMoment(
    { ...wait, elapsedMs: elapsedMs(call, wait.nextAttemptAt), holdMs, isStated },
    call.counter.totalDelayMs,
    call.policy,
  );
}

const laterOf = (one: Wait, other: Wait): Wait => (other.nextAttemptAt > one.nextAttemptAt ? other : one);

/**
 * The first step of a call that repeats one that was given up: waits until the moment that the server named, or ends if
 * that is too far away, or if no wait can help.
 */
export function goOnFrom<R>(call: Call<R>, before: GivenUp<R>): Next<R> | StoppedEnd<R> {
  const { notBefore, isAccepted, isFinal } = before;
  const now = call.policy.runtime.now();
  const wait = waitFrom(now, notBefore - now, 'hint');
  const isLater = wait.delayMs > 0;
  const limit = isLater ? limitOn(call, wait, isAccepted ? 0 : wait.delayMs) : null;
  const refused = isFinal ? 'not-retryable' : limit;
  if (refused !== null) return stopped(undefined, refused, isLater ? notBefore : undefined);
  const planned = isLater ? announceDelay(call, wait, wait.delayMs, now, true) : undefined;
  return { ...firstAttempt(), wait: planned, isAnnounced: planned !== undefined };
}

/** Plans a wait that no `retry` event announces. */
function announceDelay(
  call: Call<unknown>,
  wait: Wait,
  countedMs: number,
  now: number,
  allowsRetryNow: boolean,
): PlannedWait {
  return waitFor(call, wait, countedMs, now, allowsRetryNow, () =>
    call.announcer.emit({ type: 'delayed', attempt: call.counter.attempts + 1, ...wait }),
  );
}

/**
 * Called when the gate or the chain says "not yet" at the moment of an attempt: the call waits longer, or stops. If no
 * attempt was sent yet, it rejects with an error.
 */
export function planAgain<R>(
  call: Call<R>,
  { last }: Next<R>,
  route: Route,
  choice: Choice,
  obstacle: RouteObstacle,
): Next<R> | End<R> {
  const { policy } = call;
  const { waitMs } = obstacle;
  const now = policy.runtime.now();
  const wait = waitFrom(now, waitMs, obstacle.because);
  const refused = obstacle.stop ?? limitOn(call, wait, obstacle.holdMs, obstacle.isStated);
  if (refused !== null) {
    route.leave(gateNow(call), choice);
    return stopped(last, refused, obstacle.isGuess ? undefined : now + waitMs, obstacle.refusal());
  }
  extendWait(call, waitMs);
  moved(call, route.adopt?.(gateNow(call), choice, call.counter, lastFailure(call)));
  // A wait for a limit that the user has stated uses up nothing of what the call may wait.
  const countedMs = obstacle.isStated === true ? 0 : waitMs;
  const planned = announceDelay(call, wait, countedMs, now, obstacle.rests !== 'key');
  return {
    kind: 'next',
    wait: { ...planned, obstacle },
    last,
    isAnnounced: true,
    retry: choice.retry,
    answer: undefined,
  };
}

/**
 * Plans the wait and announces it. The controller knows it before that, so that a listener can end it at once.
 *
 * @param countedMs what it uses up of the time that the call may wait
 * @param now the time that the wait was computed with. A second reading of a clock that counts whole milliseconds may be
 *   one ahead, and the wait too short by one.
 * @param allowsRetryNow false: every key rests until then, so `retryNow` does not end the wait
 */
function waitFor(
  call: Call<unknown>,
  { nextAttemptAt: until, because }: Wait,
  countedMs: number,
  now: number,
  allowsRetryNow: boolean,
  announce: () => void,
): PlannedWait {
  call.counter.totalDelayMs += countedMs;
  call.waitsUntil = until;
  const [steering, ...others] = steeringsOf(call);
  call.endRetrying ??= steering?.begin(others);
  const held = steering?.hold(until, allowsRetryNow, others);
  announce();
  return { ms: until - now, until, because, held };
}

function steeringsOf({ policy }: Call<unknown>): readonly Steering[] {
  return policy.controllers.map((controller) => steeringOf(controller));
}

/**
 * The retries that the call can reach, for the counter that users see; null without a limit. Those on further targets
 * count from the beginning, so that the counter does not jump when the call moves.
 */
function maxRetriesOf(
  { policy, counter }: Call<unknown>,
  situation: Situation,
  { fallback, retriesElsewhere }: Standing,
  move: Move | null | undefined,
): number | null {
  if (typeof move?.retries === 'number') return counter.attempts + move.retries;
  const here = reachableRetries(situation, policy) ?? Infinity;
  const before = fallback === null || retriesElsewhere === 0 ? here : Math.min(here, fallback.afterRetries);
  if (before === Infinity) return null;
  return before + retriesElsewhere + counter.before + counter.free;
}

/** Ends a call after a failure. `restMs`: how long the gate or the chain would make it wait. */
function stopAfterFailure<R>(call: Call<R>, tried: Tried<R>, because: StopReason, restMs: number | undefined): End<R> {
  const { failure } = tried;
  const othersMs = call.route?.rest(gateNow(call), failure, false);
  record(call, tried, failure);
  return stopped(tried, because, namedTime(tried, restMs, othersMs));
}

/** When whichever target is free first takes the next attempt; undefined if neither the server nor a rest says so. */
function namedTime({ endedAt, failure }: Tried<unknown>, ...restsMs: (number | undefined)[]): number | undefined {
  const waitMs = Math.min(failure.retryAfterMs ?? Infinity, ...restsMs.map((ms) => ms || Infinity));
  return waitMs === Infinity ? undefined : endedAt + waitMs;
}

/** Ends a waiting call after `giveUp`. */
export function gaveUp<R>(call: Call<R>, last: Tried<R> | undefined, wait: PlannedWait): End<R> {
  const { until, because, obstacle } = wait;
  const possibleAt = obstacle?.isGuess || because === 'backoff' ? last && namedTime(last) : until;
  const now = call.policy.runtime.now();
  const waitMs = (possibleAt ?? now) - now;
  const { session, name } = call.route?.current ?? {};
  const key = session?.key ?? name ?? 'the server';
  const why = 'it was given up while it waited in line.';
  const error = new GateRefusedError(key, 'given-up', waitMs, now, why);
  return stopped(last, 'given-up', possibleAt, withReason(error, obstacle?.reason));
}
