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
import type { StopReason, WaitReason } from '../failure/history.ts';
import type { Choice, Move, Route, RouteObstacle } from '../route/route.ts';
import { operationSafety, unknownLabel } from '../options/policy.ts';
import { raceAbort } from '../runtime/abort.ts';
import {
  type Call,
  countsFrom,
  elapsedMs,
  extendWait,
  type FailedAttempt,
  gateNow,
  historyOf,
  lastFailure,
  record,
  stop,
  type HeldWait,
} from './call.ts';
import { checkMoment, type Decision, decide, reachableRetries, type Situation } from './decide.ts';
import { headersOf, readOutcome } from './outcome.ts';
import { letGo } from './send.ts';

/** Plans what follows a failed attempt. A plan that has already ended the call is kept. */
export async function plan(call: Call<unknown>): Promise<void> {
  if (call.plan.kind !== 'attempt' || call.outcome === undefined) return;
  try {
    const failed = await readOutcome(call, call.outcome);
    call.failed = failed;
    call.route?.failed(gateNow(call), failed.failure, headersOf(call.outcome));
    const situation = situationOf(call, failed);
    const { runtime } = call.policy;
    const decision = await permit(call, decide(situation, call.policy, runtime.random), failed.failure);
    if (decision.retry) await planRetry(call, decision, situation);
    else {
      const restMs = situation.fallback?.restMs;
      stopAfterFailure(call, withAdvice(call, failed, decision.because), decision.because, restMs);
    }
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

/** What `decide` needs to know. */
function situationOf(call: Call<unknown>, { failure, serverSaidStop }: FailedAttempt): Situation {
  const { policy, failuresOfType, attempts, totalDelayMs } = call;
  const attemptsOfType = (failuresOfType[failure.type] ?? 0) + 1;
  failuresOfType[failure.type] = attemptsOfType;
  const alone = { attempts, maxRetries: policy.maxRetries, fallback: null };
  const standing = call.route?.standing(gateNow(call), failure, attempts) ?? alone;
  return {
    failure,
    serverSaidStop,
    ...standing,
    attemptsOfType,
    totalDelayMs,
    elapsedMs: elapsedMs(call, countsFrom(call, policy.runtime.now())),
    obstacle: failure.retryable || standing.fallback !== null ? obstacleTo(call, failure) : null,
  };
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

/** A wait as events show it. */
interface Wait {
  readonly delayMs: number;
  /** Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
  readonly because: WaitReason;
}

/** Plans a retry: the target and its gate, the moment, the listeners. */
async function planRetry(call: Call<unknown>, decision: Retry, situation: Situation): Promise<void> {
  const { policy, route } = call;
  const { failure } = situation;
  // Most calls have no route.
  const chosen = route?.plan(gateNow(call), decision, failure);
  const choice = chosen instanceof Promise ? await raceChoice(call, chosen) : chosen;
  const obstacle = choice?.obstacle ?? null;
  const now = policy.runtime.now();
  // The wait that was decided belongs to the target that it names; another one is used at once.
  const planned =
    choice === undefined || choice.isFirst ? ownWait(call, decision, now) : waitFrom(now, choice.restMs, 'fallback');
  const wait = obstacle === null ? planned : laterOf(planned, waitFrom(now, obstacle.waitMs, obstacle.because));
  const refused = obstacle?.stop ?? limitOn(call, wait, obstacle?.holdMs ?? 0);
  if (refused !== null) {
    if (choice !== undefined) route?.dismiss(gateNow(call), choice);
    const isHeld = obstacle !== null && (obstacle.stop !== null || wait !== planned);
    stopAfterFailure(call, failure, refused, isHeld ? obstacle.waitMs : situation.fallback?.restMs);
    return;
  }
  record(call, failure, wait);
  if (route !== undefined && choice !== undefined)
    moved(call, route.moveTo(gateNow(call), choice, call.attempts, failure));
  const { attempts, announcer } = call;
  waitFor(call, wait, now, decision.because !== 'cooldown', () => {
    const { error } = call.failed ?? {};
    if (error !== undefined) notify(policy.config.onRetry, attempts, error, wait.delayMs);
    if (!announcer.isHeard) return;
    announcer.emit({ type: 'retry', attempt: attempts, maxRetries: maxRetriesOf(call, situation), ...wait, failure });
  });
  // A waiting call holds as little as possible: without a gate, a rotation or a controller this response is not needed
  // any more.
  if (policy.config.controller === undefined && route?.hasTurns !== true) letGo(call);
}

/** Waits for a choice. An abort does not wait for a slow gate, and a late answer must give back what it took. */
export function raceChoice(call: Call<unknown>, choosing: Promise<Choice>): Promise<Choice> {
  return raceAbort(choosing, call.exchange.signal, ({ session }) => session?.leave(gateNow(call)));
}

/** Announces the move to another target, where the counting by type starts again. */
export function moved(call: Call<unknown>, move: Move | null): void {
  if (move === null) return;
  call.failuresOfType = {};
  call.announcer.emit({ type: 'fallback', ...move });
}

/** The wait that was decided. A rest counts from now, any other wait from the response headers. */
function ownWait(call: Call<unknown>, { delayMs, because }: Retry, now: number): Wait {
  const from = because === 'cooldown' ? now : countsFrom(call, now);
  return { delayMs, nextAttemptAt: Math.max(now, from + delayMs), because };
}

const waitFrom = (now: number, delayMs: number, because: WaitReason): Wait => ({
  delayMs,
  nextAttemptAt: now + delayMs,
  because,
});

/** What keeps the call from a wait; null: nothing. */
function limitOn(call: Call<unknown>, wait: Wait, holdMs: number): StopReason | null {
  return checkMoment(
    { ...wait, elapsedMs: elapsedMs(call, wait.nextAttemptAt), holdMs },
    call.totalDelayMs,
    call.policy,
  );
}

const laterOf = (one: Wait, other: Wait): Wait => (other.nextAttemptAt > one.nextAttemptAt ? other : one);

/**
 * Called when the gate or the chain says "not yet" at the moment of an attempt: the call waits longer, or stops. If no
 * attempt was sent yet, it rejects with an error.
 */
export function planAgain(call: Call<unknown>, route: Route, choice: Choice, obstacle: RouteObstacle): void {
  const { policy, announcer } = call;
  const { waitMs } = obstacle;
  const now = policy.runtime.now();
  const wait = waitFrom(now, waitMs, obstacle.because);
  const refused = obstacle.stop ?? limitOn(call, wait, obstacle.holdMs);
  if (refused !== null) {
    route.dismiss(gateNow(call), choice);
    const isKnown = waitMs > 0 && waitMs !== Number.POSITIVE_INFINITY;
    stop(call, refused, isKnown ? now + waitMs : undefined, route.refusal(choice, obstacle.reason, waitMs));
    return;
  }
  extendWait(call, waitMs);
  moved(call, route.settle(gateNow(call), choice, call.attempts, lastFailure(call)));
  waitFor(call, wait, now, !obstacle.isRest, () => {
    announcer.emit({ type: 'delayed', attempt: call.attempts + 1, ...wait });
    call.isAnnounced = true;
  });
}

/**
 * Plans the wait and announces it. The controller knows it before that, so that a listener can end it at once.
 *
 * @param now the time that the wait was computed with. A second reading of a clock that counts whole milliseconds may be
 *   one ahead, and the wait too short by one.
 * @param allowsRetryNow false: every target rests until then, so `retryNow` does not end the wait
 */
function waitFor(
  call: Call<unknown>,
  { delayMs, nextAttemptAt: until }: Wait,
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
    interrupt: new AbortController(),
    withdraw: steeringOf(controller).offer({
      until,
      end: (how) => {
        if (how === 'retry-now' && !allowsRetryNow) return;
        steering.ended = how;
        // The first word counts, and the wait is over for the controller.
        steering.withdraw();
        steering.interrupt.abort();
      },
    }),
  };
  return steering;
}

/** The retries that the call can reach, for the counter that users see; null without a limit. */
function maxRetriesOf({ policy, attempts, route }: Call<unknown>, situation: Situation): number | null {
  const afterMove = route?.retriesAfterMove(attempts) ?? null;
  if (afterMove !== null) return attempts + afterMove;
  const reachable = reachableRetries(situation, policy);
  return reachable === null ? null : reachable + (route?.retriesBefore ?? 0);
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
  stop(call, because, waitMs === undefined ? undefined : call.endedAt + waitMs);
}

/** Ends a waiting call after `giveUp`. */
export function giveUp(call: Call<unknown>, until: number): void {
  const waitMs = Math.max(0, until - call.policy.runtime.now());
  stop(call, 'given-up', until, call.route?.givenUp(waitMs));
}
