/**
 * The first step of a round, and the only one that waits: until the planned moment, and longer if the gate or the chain
 * says "not yet". Then it takes the turn, and the face sends, and judges what came. An abort, `retryNow` and `giveUp` end
 * the wait.
 */

import type { WaitEnd } from '../events/steering.ts';
import { inNextTask, systemRuntime } from '../runtime/runtime.ts';
import { eitherSignal, raceAbort, throwIfAborted } from '../runtime/abort.ts';
import type { Call } from './call.ts';
import { reclassify } from './caller.ts';
import type { Failed, Settled } from './face.ts';
import { Sending, sendSafely } from './sending.ts';
import {
  broken,
  type End,
  type Next,
  type PlannedWait,
  returned,
  type Sent,
  stopped,
  type Succeeded,
  threw,
  type Times,
  type Tried,
} from './steps.ts';
import { gaveUp, move, planAgain } from './wait.ts';

/**
 * Waits for the planned moment, takes the turn and sends; or only looks into the outcome of a first attempt. Nothing is
 * awaited between the choice of a key and its use, because another call may find at any time that the key must rest. One
 * function, because each further one would keep its own frame in memory for the whole wait.
 */
export async function attempt<R>(call: Call<R>, given: Sent<R> | Next<R>): Promise<Succeeded<R> | Tried<R> | End<R>> {
  const { signal } = call.face;
  let next = given;
  let isRolledBack = false;
  try {
    for (;;) {
      if (next.kind === 'sent') return await judge(call, next.settled, new Sending(call, call.chainStartedAt));
      const { wait, last } = next;
      if (call.counter.attempts === 0 && wait === undefined && !call.waitsFirst) return await send(call, next);
      const end = wait === undefined ? 'elapsed' : await sleepUntil(call, wait);
      throwIfAborted(signal);
      if (wait !== undefined && end === 'given-up') return gaveUp(call, last, wait);
      // A first attempt is sent anyway, because it is not a retry.
      if (call.counter.attempts > 0 && call.isSwitchedOff) return stopped(last, 'disabled');
      if (!isRolledBack) await rollBack(call);
      isRolledBack = true;
      throwIfAborted(signal);
      const taken = takeTurn(call, next, end === 'retry-now');
      // A listener may have aborted the call when a longer wait was announced.
      if (signal?.aborted === true && taken !== 'taken' && taken.kind === 'next') taken.wait?.held?.withdraw();
      throwIfAborted(signal);
      if (taken === 'taken') return await send(call, next);
      if (taken.kind === 'end') return taken;
      next = taken;
    }
  } catch (error) {
    return broken(error, next.kind === 'next' ? next.last : undefined);
  }
}

/**
 * Sleeps until the moment, or until the controller or the gate ends the wait. They resolve a promise, because in a Worker
 * the objects of one request must not be used from another.
 */
async function sleepUntil(call: Call<unknown>, { held, ms, countedMs, obstacle }: PlannedWait): Promise<WaitEnd> {
  const endsAtMs = call.nowMs + ms;
  let isFree = false;
  let isOver = false;
  const stop = held === undefined && obstacle?.onFree === undefined ? undefined : new AbortController();
  const { signal, release } = eitherSignal(call.face.signal, stop);
  try {
    // A listener may have ended the wait when it was announced.
    if (held?.ended !== undefined) return held.ended;
    if (stop === undefined) await sleep(call, ms, signal);
    else
      await new Promise<void>((resolve, reject) => {
        // Before the sleep, which may end the wait itself.
        held?.onEnd(resolve);
        obstacle?.onFree?.(() => {
          isFree = true;
          resolve();
        });
        sleep(call, ms, signal).then(resolve, reject);
      });
    isOver = held?.ended === undefined && !isFree;
  } finally {
    // With a reason, because the default is an error, whose stack takes longer than all else here.
    stop?.abort(null);
    release();
    held?.withdraw();
    // A wait counts as over when its sleep has resolved, whatever the clock says.
    if (isOver) call.waitedUntilMs = endsAtMs;
    // A person who skips a wait does not use up the time that the call may wait.
    else call.counter.totalDelayMs -= Math.min(countedMs, Math.max(0, endsAtMs - call.nowMs));
  }
  return held?.ended ?? 'elapsed';
}

/** Our own sleep obeys the signal. An injected one may ignore it, and in JavaScript it may return nothing. */
function sleep({ policy: { runtime } }: Call<unknown>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (runtime.sleep === systemRuntime.sleep) return runtime.sleep(ms, signal);
  return raceAbort((async () => runtime.sleep(ms, signal))(), signal);
}

/** Undoes the operation before it is repeated. Raced with the abort. */
async function rollBack({ policy, face, lastFailure }: Call<unknown>): Promise<void> {
  if (lastFailure === undefined || policy.config.operation === undefined) return;
  const { rollback } = face.operation;
  if (rollback !== undefined) await raceAbort((async () => rollback(lastFailure))(), face.signal);
}

type Turn<R> = 'taken' | Next<R> | End<R>;

/** Takes the slot and the token from the gate. Otherwise the moment has moved, or the call has ended. */
function takeTurn<R>(call: Call<R>, next: Next<R>, isForced: boolean, ignoresRests = false): Turn<R> {
  const { route, lastFailure: failure } = call;
  if (route === undefined) return 'taken';
  const { retry = null, answer } = next;
  const choice = route.take(call.nowMs, { failure, retry, answer, isForced, ignoresRests });
  const { obstacle } = choice;
  if (obstacle === null) {
    move(call, choice);
    return 'taken';
  }
  const planned = planAgain(call, next, route, choice, obstacle);
  // No call is refused because a target rests.
  return planned.kind === 'end' && obstacle.rests === 'target' ? takeTurn(call, next, isForced, true) : planned;
}

/** Sends one attempt to the current target, and lets the face judge what came. */
async function send<R>(call: Call<R>, { last, wait }: Next<R>): Promise<Succeeded<R> | Tried<R> | End<R>> {
  const { face, counter, route } = call;
  const target = route?.current.name;
  last?.failed.discard();
  const number = counter.attempts + 1;
  if (number > 1 || wait !== undefined) {
    call.emit({ type: 'attempt', attempt: number, ...(target !== undefined && { target }) });
    // A listener may have aborted the call.
    throwIfAborted(face.signal);
  }
  counter.attempts = number;
  const sending = new Sending(call, call.policy.runtime.now());
  let value: unknown;
  try {
    const settled = await raceAbort(
      sendSafely(face, sending, route),
      sending.signal ?? face.signal,
      (late) => face.late?.(late),
      // The time limit ends a request at once; the caller's abort, and the time limit of a function, ask it first.
      (end) => (call.progress !== undefined || call.isAborted ? inNextTask(end) : end()),
    ).then(returned<R>, threw);
    if ('value' in settled) value = settled.value;
    return await judge(call, settled, sending);
  } finally {
    sending.release(value);
  }
}

/** What an attempt has come to, as the face judges it. */
async function judge<R>(
  call: Call<R>,
  settled: Settled<R>,
  sending: Sending<R>,
): Promise<Succeeded<R> | Tried<R> | End<R>> {
  const { face } = call;
  if (call.isAborted) return { kind: 'end', how: 'aborted', settled };
  const { startedAt } = sending;
  let times = timesOf(call, startedAt);
  let failed: Failed<R> | undefined;
  try {
    const judging = face.judge(settled, sending);
    const isAwaited = judging instanceof Promise;
    const judged = isAwaited ? await judging : judging;
    // What was found later has taken its time.
    if ('value' in judged ? isAwaited : judged.isFoundLater) times = timesOf(call, startedAt);
    if ('value' in judged) return { ...times, kind: 'succeeded', value: judged.value };
    failed = judged;
    throwIfAborted(face.signal);
    const { failure, ruledOut } = reclassify(call, judged);
    return { ...times, kind: 'tried', failed, failure, ruledOut, error: judged.errorFor(failure) };
  } catch (error) {
    return broken(error, failed === undefined ? times : { ...times, failed });
  }
}

function timesOf({ policy: { runtime } }: Call<unknown>, startedAt: number): Times {
  return { startedAt, endedAt: runtime.now(), endedMonotonicMs: runtime.monotonic() };
}
