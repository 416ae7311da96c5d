/**
 * The waits of a call: how long they are, which limits end them, and what the listeners and the controller are told. Only
 * `attempt.ts` waits.
 */

import type { StopReason, WaitReason } from '../failure/reasons.ts';
import { GateRefusedError, withReason } from '../gate/gate-refused-error.ts';
import type { Choice, Move, Route, RouteObstacle } from '../route/route.ts';
import { raceAbort } from '../runtime/abort.ts';
import {
  type Call,
  elapsedMs,
  type End,
  extendWait,
  gateNow,
  lastFailure,
  type Next,
  type PlannedWait,
  steeringsOf,
  stopped,
  type Tried,
} from './call.ts';
import { checkMoment } from './decide.ts';

/** A wait as events show it. */
export interface Wait {
  readonly delayMs: number;
  /** Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
  readonly because: WaitReason;
}

export const waitFrom = (now: number, delayMs: number, because: WaitReason): Wait => ({
  delayMs,
  nextAttemptAt: now + delayMs,
  because,
});

/** What keeps the call from a wait; null: nothing. */
export function limitOn(call: Call<unknown>, wait: Wait, holdMs: number, isStated?: boolean): StopReason | null {
  return checkMoment(
    { ...wait, elapsedMs: elapsedMs(call, wait.nextAttemptAt), holdMs, isStated },
    call.counter.totalDelayMs,
    call.policy,
  );
}

/** Plans a wait that no `retry` event announces. */
export function announceDelay(
  call: Call<unknown>,
  wait: Wait,
  countedMs: number,
  now: number,
  allowsRetryNow: boolean,
): PlannedWait {
  return announce(call, wait, countedMs, now, allowsRetryNow, () =>
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
  const { waitMs } = obstacle;
  const now = call.policy.runtime.now();
  const wait = waitFrom(now, waitMs, obstacle.because);
  const refused = obstacle.stop ?? limitOn(call, wait, obstacle.holdMs, obstacle.isStated);
  const possibleAt = obstacle.isGuess ? undefined : wait.nextAttemptAt;
  if (refused !== null) {
    route.leave(gateNow(call), choice);
    return stopped(last, refused, possibleAt, obstacle.refusal());
  }
  extendWait(call, waitMs);
  moved(call, route.adopt?.(gateNow(call), choice, call.counter, lastFailure(call)));
  // A wait for a limit that the user has stated uses up nothing of what the call may wait.
  const countedMs = obstacle.isStated === true ? 0 : waitMs;
  const planned = announceDelay(call, wait, countedMs, now, obstacle.rests !== 'key');
  return {
    kind: 'next',
    wait: { ...planned, possibleAt, obstacle },
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
export function announce(
  call: Call<unknown>,
  { nextAttemptAt: until }: Wait,
  countedMs: number,
  now: number,
  allowsRetryNow: boolean,
  tell: () => void,
): PlannedWait {
  call.counter.totalDelayMs += countedMs;
  call.waitsUntil = until;
  const [steering, ...others] = steeringsOf(call);
  call.endRetrying ??= steering?.begin(others);
  const held = steering?.hold(until, allowsRetryNow, others);
  tell();
  return { ms: until - now, countedMs, possibleAt: until, held };
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

/** Ends a waiting call after `giveUp`. */
export function gaveUp<R>(call: Call<R>, last: Tried<R> | undefined, { possibleAt, obstacle }: PlannedWait): End<R> {
  const now = call.policy.runtime.now();
  const waitMs = (possibleAt ?? now) - now;
  const { session, name } = call.route?.current ?? {};
  const key = session?.key ?? name ?? 'the server';
  const error = new GateRefusedError(key, 'given-up', waitMs, now, 'it was given up while it waited.');
  return stopped(last, 'given-up', possibleAt, withReason(error, obstacle?.reason));
}
