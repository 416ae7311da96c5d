/**
 * The waits of a call: how long they are, which limits end them, and what the listeners and the controller are told. Only
 * `attempt.ts` waits.
 */

import type { StopReason, WaitReason } from '../failure/reasons.ts';
import { GateRefusedError, withReason } from '../gate/gate-refused-error.ts';
import type { Choice, Move, Route, RouteObstacle } from '../route/route.ts';
import type { Call } from './call.ts';
import { checkMoment } from './decide.ts';
import { type End, type Next, type PlannedWait, stopped, type Tried, type Wait } from './steps.ts';

export const waitFrom = (now: number, delayMs: number, because: WaitReason): Wait => ({
  delayMs,
  nextAttemptAt: now + delayMs,
  because,
});

/** What keeps the call from a wait; null: nothing. */
export function limitOn(call: Call<unknown>, wait: Wait, holdMs: number, isStated?: boolean): StopReason | null {
  const moment = { ...wait, elapsedMs: call.elapsedMs(wait.nextAttemptAt), holdMs, isStated };
  return checkMoment(moment, call.counter.totalDelayMs, call.policy);
}

/**
 * Plans the wait and announces it. The controller knows it before that, so that a listener can end it at once.
 *
 * @param now the time that the wait was computed with. A second reading of a clock that counts whole milliseconds may be
 *   one ahead, and the wait too short by one.
 * @param allowsRetryNow false: every key rests until then, so `retryNow` does not end the wait
 * @param countedMs what it uses up of the time that the call may wait
 * @param tell @default a `delayed` event
 */
export function announceWait(
  call: Call<unknown>,
  wait: Wait,
  now: number,
  allowsRetryNow: boolean,
  countedMs: number,
  tell: () => void = () => call.emit({ type: 'delayed', attempt: call.counter.attempts + 1, ...wait }),
): PlannedWait {
  const { nextAttemptAt: until } = wait;
  call.counter.totalDelayMs += countedMs;
  call.waitsUntil = until;
  const [steering, ...others] = call.steerings;
  call.endRetrying ??= steering?.begin(others);
  const held = steering?.hold(until, allowsRetryNow, others);
  tell();
  return { ms: until - now, countedMs, possibleAt: until, held };
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
  const { waitMs, isStated } = obstacle;
  const now = call.policy.runtime.now();
  const wait = waitFrom(now, waitMs, obstacle.because);
  const refused = obstacle.stop ?? limitOn(call, wait, obstacle.holdMs, isStated);
  const possibleAt = obstacle.isGuess ? undefined : wait.nextAttemptAt;
  if (refused !== null) {
    route.leave(call.nowMs, choice);
    return stopped(last, refused, possibleAt, obstacle.refusal());
  }
  call.extendWait(waitMs);
  move(call, choice);
  // A wait for a limit that the user has stated uses up nothing of what the call may wait.
  const planned = announceWait(call, wait, now, obstacle.rests !== 'key', isStated === true ? 0 : waitMs);
  return { kind: 'next', wait: { ...planned, possibleAt, obstacle }, last, retry: choice.retry };
}

/** Moves to the target of a choice, where the counting by type starts again; null if the call is there. */
export function move(call: Call<unknown>, choice: Choice): Move | null {
  const moved = call.route?.adopt?.(call.nowMs, choice, call.counter, call.lastFailure) ?? null;
  if (moved === null) return null;
  const { from, to, failure } = moved;
  call.counter.move(from, to);
  call.emit({ type: 'fallback', from, to, failure });
  return moved;
}

/** Ends a waiting call after `giveUp`. */
export function gaveUp<R>(call: Call<R>, last: Tried<R> | undefined, { possibleAt, obstacle }: PlannedWait): End<R> {
  const now = call.policy.runtime.now();
  const waitMs = (possibleAt ?? now) - now;
  const { session, name } = call.route?.current ?? {};
  const key = session?.key ?? name ?? 'the server';
  const error = new GateRefusedError(key, 'given-up', waitMs, now, 'it was given up while it waited.');
  return stopped(last, 'given-up', possibleAt, withReason(error, obstacle?.reason));
}
