/**
 * The second step of a round: turns a failed attempt into the next one, or into the end. First `decide` says
 * whether to retry. Then the target is chosen, and its gate gives an estimate. Then `checkMoment`
 * compares the moment with the limits. Last, the listeners are told. If the gate or the chain says "not yet" at that
 * moment, `planAgain` of `wait.ts` moves it.
 */

import { notify } from '../events/events.ts';
import type { Failure } from '../failure/failure.ts';
import type { StopReason } from '../failure/reasons.ts';
import type { Move, Standing } from '../route/route.ts';
import type { Call } from './call.ts';
import { permit } from './caller.ts';
import { namedTime, stopAfterFailure } from './ending.ts';
import type { GivenUp } from './face.ts';
import { type Decision, decide, mayHelp, reachableRetries, type Situation } from './decide.ts';
import { broken, type End, type Next, stopped, type StoppedEnd, type Tried, type Wait } from './steps.ts';
import { announceWait, limitOn, move, waitFrom } from './wait.ts';

/** Plans what follows a failed attempt. */
export async function plan<R>(call: Call<R>, tried: Tried<R>): Promise<Next<R> | End<R>> {
  try {
    const { failure, failed } = tried;
    call.route?.report(call.nowMs, { type: 'failure', failure, headers: failed.headers });
    const standing = standingOf(call, failure);
    const obstacle = mayHelp(failure, call.policy) || standing.fallback !== null ? obstacleTo(call, tried) : null;
    const situation = situationOf(call, tried, standing, obstacle instanceof Promise ? await obstacle : obstacle);
    const decision = await permit(call, tried, decide(situation, call.policy, call.policy.runtime.random));
    if (decision.retry) return planRetry(call, tried, decision, situation, standing);
    return stopAfterFailure(call, tried, decision.because, situation.fallback?.restMs);
  } catch (error) {
    return broken(error, tried);
  }
}

/** How the attempt counts on its target. */
function standingOf(call: Call<unknown>, failure: Failure): Standing {
  const { counter, policy, route } = call;
  const alone = { maxRetries: policy.maxRetries, fallback: null, retriesElsewhere: 0 };
  return route?.standing?.(call.nowMs, failure, counter) ?? alone;
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
    ...counter.count(failure, endedAt - startedAt, policy.strategies),
    failure,
    ruledOut,
    maxRetries,
    fallback,
    elapsedMs: call.elapsedMs(call.countsFrom(tried, policy.runtime.now())),
    obstacle,
  };
}

/** Why the attempt may not be repeated, independent of the failure. A first attempt is never refused. */
function obstacleTo(call: Call<unknown>, { failed }: Tried<unknown>): ReturnType<typeof failed.obstacle> {
  if (call.counter.isSpent) return 'retries-exhausted';
  return call.isSwitchedOff ? 'disabled' : failed.obstacle();
}

type Retry = Extract<Decision, { retry: true }>;

/** Plans a retry: the target and its gate, the moment, the listeners. */
function planRetry<R>(
  call: Call<R>,
  tried: Tried<R>,
  decision: Retry,
  situation: Situation,
  standing: Standing,
): Next<R> | End<R> {
  const { policy, route } = call;
  const { failure, error } = tried;
  const { fallback } = standing;
  // Most calls have no route.
  const choice = route?.plan(call.nowMs, { ...decision, failure, next: fallback?.next });
  const obstacle = choice?.obstacle ?? null;
  const now = policy.runtime.now();
  // The wait that was decided belongs to the target that it names; another one is used at once.
  const ownOrRest =
    choice?.passedOver === undefined ? ownWait(call, tried, decision, now) : waitFrom(now, choice.restMs, 'fallback');
  const isHeld = obstacle !== null && now + obstacle.waitMs > ownOrRest.nextAttemptAt;
  const wait = isHeld ? waitFrom(now, obstacle.waitMs, obstacle.because) : ownOrRest;
  // A gate that knows its moment has considered the wait that was decided.
  const gateAt = obstacle === null || obstacle.isGuess ? undefined : now + obstacle.waitMs;
  const refused = obstacle?.stop ?? limitOn(call, wait, obstacle?.holdMs ?? 0);
  if (refused !== null) return stopAfterFailure(call, tried, refused, fallback?.restMs, gateAt);
  call.record(tried, failure, wait);
  const isLeft = decision.moves || decision.rests === 'all targets';
  const ownMs = isLeft ? route?.rest?.(call.nowMs, failure, true) : undefined;
  const moved = choice === undefined ? null : move(call, choice);
  const { attempts } = call.counter;
  // A waiting call holds as little as possible: without a gate, a rotation or a controller this response is not needed
  // any more.
  const isKept = policy.controllers.length > 0 || route !== undefined;
  // A key that rests is not sent before.
  const allowsRetryNow = decision.rests !== 'all targets' || moved !== null;
  const planned = announceWait(call, wait, now, allowsRetryNow, wait.delayMs, () => {
    if (error !== undefined) for (const listener of policy.onRetry) notify(listener, attempts, error, wait.delayMs);
    const maxRetries = maxRetriesOf(call, situation, standing, moved);
    call.emit({ type: 'retry', retry: attempts, maxRetries, ...wait, failure });
  });
  if (!isKept) tried.failed.discard();
  const namedAt = wait.because === 'fallback' ? wait.nextAttemptAt : namedTime(tried, ownMs, fallback?.restMs);
  const possibleAt = gateAt ?? namedAt;
  const last = isKept ? tried : undefined;
  return { kind: 'next', wait: { ...planned, possibleAt, obstacle }, last, retry: choice?.retry ?? null };
}

/** The wait that was decided. A rest counts from now, any other wait from the response headers. */
function ownWait(call: Call<unknown>, tried: Tried<unknown>, { delayMs, because, rests }: Retry, now: number): Wait {
  const from = rests === 'all targets' ? now : call.countsFrom(tried, now);
  return { delayMs, nextAttemptAt: Math.max(now, from + delayMs), because };
}

/**
 * The retries that the call can reach, for the counter that users see; null without a limit. Those on further targets
 * count from the beginning, so that the counter does not jump when the call moves.
 */
function maxRetriesOf(
  { policy, counter }: Call<unknown>,
  situation: Situation,
  { fallback, retriesElsewhere }: Standing,
  moved: Move | null,
): number | null {
  if (typeof moved?.retries === 'number') return counter.attempts + moved.retries;
  const here = reachableRetries(situation, policy) ?? Infinity;
  const before = fallback === null || retriesElsewhere === 0 ? here : Math.min(here, fallback.afterRetries);
  if (before === Infinity) return null;
  return before + retriesElsewhere + counter.before + counter.free;
}

/**
 * The first step of a call that repeats one that was given up: waits until the moment that the server named, or ends if
 * that is too far away, or if no wait can help.
 */
export function goOnFrom<R>(call: Call<R>, { notBefore, isAccepted, isFinal }: GivenUp<R>): Next<R> | StoppedEnd<R> {
  const now = call.policy.runtime.now();
  const wait = waitFrom(now, notBefore - now, 'hint');
  const isLater = wait.delayMs > 0;
  const limit = isLater ? limitOn(call, wait, isAccepted ? 0 : wait.delayMs) : null;
  const refused = isFinal === true ? 'not-retryable' : limit;
  if (refused !== null) return stopped(undefined, refused, isLater ? notBefore : undefined);
  return { kind: 'next', ...(isLater && { wait: announceWait(call, wait, now, true, wait.delayMs) }) };
}
