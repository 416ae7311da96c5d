/**
 * The first step of a round, and the only one that waits: until the planned moment, and longer if the gate or the chain
 * says "not yet". Then it takes the turn, and the face sends, and judges what came. An abort, `retryNow` and `giveUp` end
 * the wait.
 */

import type { WaitEnd } from '../events/steering.ts';
import { rememberEnd } from '../events/outcome-of.ts';
import { isSwitchedOff } from '../options/policy.ts';
import { doNothing, inNextTask, startIoLimit, systemRuntime } from '../runtime/runtime.ts';
import { abortError, eitherSignal, raceAbort, releaseAfter, throwIfAborted } from '../runtime/abort.ts';
import type { Choice, Route, Target } from '../route/route.ts';
import {
  broken,
  type Call,
  type End,
  gateNow,
  historyOf,
  lastFailure,
  type Next,
  type PlannedWait,
  record,
  returned,
  stopped,
  threw,
  type Times,
  type Tried,
} from './call.ts';
import type { Attempt, Face, Failed, Judged, Settled } from './face.ts';
import { reclassify } from './caller.ts';
import { gaveUp, moved, planAgain, raceChoice } from './wait.ts';

/** A first attempt that was sent before the call had a record. */
export interface Sent<R> {
  readonly kind: 'sent';
  readonly settled: Settled<R>;
}

export interface Succeeded<R> extends Times {
  readonly kind: 'succeeded';
  readonly value: R;
}

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
      if (next.kind === 'sent')
        return await judge(call, next.settled, new Sending(call, call.chainStartedAt, undefined));
      const { wait, last } = next;
      if (call.counter.attempts === 0 && wait === undefined && !waitsFirst(call)) return await send(call, next);
      const end = wait === undefined ? 'elapsed' : await sleepUntil(call, wait);
      throwIfAborted(signal);
      if (wait !== undefined && end === 'given-up') return gaveUp(call, last, wait);
      // A first attempt is sent anyway, because it is not a retry.
      if (call.counter.attempts > 0 && isSwitchedOff(call.policy)) return stopped(last, 'disabled');
      if (!isRolledBack) await rollBack(call);
      isRolledBack = true;
      const turn = takeTurn(call, next, end === 'retry-now');
      const taken = turn instanceof Promise ? await turn : turn;
      // The caller may have aborted during the rollback, while the gate answered, or when a longer wait was announced.
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

/** Whether the first attempt waits for its turn, or for the check of its abort; if not, it is sent synchronously. */
export function waitsFirst(call: Call<unknown>): boolean {
  const { policy, face, route } = call;
  return policy.config.gate !== undefined || face.signal?.aborted === true || route?.rests(gateNow(call)) === true;
}

/**
 * Sleeps until the moment, or until the controller or the gate ends the wait. They resolve a promise, because in a Worker
 * the objects of one request must not be used from another.
 */
async function sleepUntil(call: Call<unknown>, { held, ms, countedMs, obstacle }: PlannedWait): Promise<WaitEnd> {
  const endsAtMs = gateNow(call) + ms;
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
    else call.counter.totalDelayMs -= Math.min(countedMs, Math.max(0, endsAtMs - gateNow(call)));
  }
  return held?.ended ?? 'elapsed';
}

/** Our own sleep obeys the signal. An injected one may ignore it, and in JavaScript it may return nothing. */
function sleep({ policy: { runtime } }: Call<unknown>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (runtime.sleep === systemRuntime.sleep) return runtime.sleep(ms, signal);
  return raceAbort((async () => runtime.sleep(ms, signal))(), signal);
}

/** Undoes the operation before it is repeated. Raced with the abort. */
async function rollBack(call: Call<unknown>): Promise<void> {
  const { face } = call;
  const failure = lastFailure(call);
  if (failure === undefined || call.policy.config.operation === undefined) return;
  const { rollback } = face.operation;
  if (rollback === undefined) return;
  await raceAbort((async () => rollback(failure))(), face.signal);
}

type Turn<R> = 'taken' | Next<R> | End<R>;

/** Takes the slot and the token from the gate. Otherwise the moment has moved, or the call has ended. */
function takeTurn<R>(
  call: Call<R>,
  next: Next<R>,
  isForced: boolean,
  ignoresRests = false,
): Turn<R> | Promise<Turn<R>> {
  const { route } = call;
  if (route === undefined) return 'taken';
  const { retry, answer } = next;
  const chosen = route.take(gateNow(call), { failure: lastFailure(call), retry, answer, isForced, ignoresRests });
  const settle = (choice: Choice): Turn<R> | Promise<Turn<R>> => {
    const { obstacle } = choice;
    if (obstacle === null) {
      moved(call, route.adopt?.(gateNow(call), choice, call.counter, lastFailure(call)));
      return 'taken';
    }
    const planned = planAgain(call, next, route, choice, obstacle);
    // No call is refused because a target rests.
    return planned.kind === 'end' && obstacle.rests === 'target' ? takeTurn(call, next, isForced, true) : planned;
  };
  return chosen instanceof Promise ? raceChoice(call, chosen).then(settle) : settle(chosen);
}

/** A first attempt as a plain call: with the caller's own arguments. */
export const FIRST: Attempt<never> = {
  number: 1,
  signal: undefined,
  target: undefined,
  isOwnRequest: true,
  begun: doNothing,
  arrived: doNothing,
  progress: doNothing,
  broke: doNothing,
};

/** An attempt of a call that has a record. */
class Sending<R> implements Attempt<R> {
  readonly number: number;
  readonly signal: AbortSignal | undefined;
  readonly target: Target | undefined;
  readonly isOwnRequest: boolean;
  startedAt: number;
  readonly #call: Call<R>;
  readonly #limit: TimeLimit | undefined;

  constructor(call: Call<R>, startedAt: number, limit: TimeLimit | undefined) {
    const current = call.route?.current;
    this.number = call.counter.attempts;
    this.signal = limit?.signal;
    this.target = current?.target;
    this.isOwnRequest = current?.isOwnRequest ?? true;
    this.startedAt = startedAt;
    this.#call = call;
    this.#limit = limit;
  }

  begun(): void {
    this.#limit?.stop();
  }

  arrived(): void {
    this.#limit?.arrived();
  }

  /** The time limit is one for the beginning, as it is for a stream. */
  progress(): void {
    this.begun();
    this.startedAt = this.#call.progress?.(this.#call, this.startedAt) ?? this.startedAt;
  }

  /** Its value broke after the caller got it: it has failed after all. */
  broke(...[because, value, error, failure, sinceMs]: Parameters<Attempt<R>['broke']>): void {
    const call = this.#call;
    const { startedAt } = this;
    const now = call.policy.runtime.now();
    // The record of the success is replaced.
    if (call.records.at(-1)?.failure === null) call.records.pop();
    record(call, { startedAt, endedAt: now }, failure);
    const afterMs = Math.max(0, now - sinceMs);
    const { attempts } = call.counter;
    const ended = call.announcer.end({ type: 'broken', because, afterMs, failure, attempts, history: historyOf(call) });
    rememberEnd(value, ended);
    rememberEnd(error, ended);
  }
}

/** Sends one attempt to the current target, and lets the face judge what came. */
async function send<R>(call: Call<R>, { last, isAnnounced }: Next<R>): Promise<Succeeded<R> | Tried<R> | End<R>> {
  const { policy, face, announcer, counter, route } = call;
  const target = route?.current.name;
  last?.failed.discard();
  const number = counter.attempts + 1;
  if (number > 1 || isAnnounced) {
    announcer.emit({ type: 'attempt', attempt: number, ...(target !== undefined && { target }) });
    // A listener may have aborted the call.
    throwIfAborted(face.signal);
  }
  counter.attempts = number;
  const startedAt = policy.runtime.now();
  const limit = startLimit(call);
  let value: unknown;
  try {
    const sending = new Sending(call, startedAt, limit);
    const settled = await raceAbort(
      withinGate(route, () => sendSafely(face, sending)),
      limit === undefined ? face.signal : limit.signal,
      (late) => face.late(late),
      // The time limit ends a request at once; the caller's abort, and the time limit of a function, ask it first.
      (end) => (call.progress !== undefined || face.signal?.aborted === true ? inNextTask(end) : end()),
    ).then(returned<R>, threw);
    if ('value' in settled) value = settled.value;
    return await judge(call, settled, sending);
  } finally {
    limit?.clear(value);
  }
}

/** Sends an attempt, so that its gate knows the calls that are made within it. */
export function withinGate<T>(route: Route | undefined, sendIt: () => T): T {
  const session = route?.current.session;
  return session?.within === undefined ? sendIt() : session.within(sendIt);
}

/** Sends, and turns a throw of the face into a rejection. */
export function sendSafely<R>(face: Face<R>, sending: Attempt<R>): Promise<R> {
  try {
    const sent: Promise<R> | R = face.send(sending);
    return sent instanceof Promise ? sent : Promise.resolve(sent);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** What an attempt has come to, as the face judges it. */
async function judge<R>(
  call: Call<R>,
  settled: Settled<R>,
  sending: Sending<R>,
): Promise<Succeeded<R> | Tried<R> | End<R>> {
  const { face } = call;
  if (isAborted(face)) return { kind: 'end', how: 'aborted', settled };
  const { startedAt } = sending;
  let times = timesOf(call, startedAt);
  let failed: Failed<R> | undefined;
  try {
    const judging = face.judge(settled, sending);
    const isAwaited = judging instanceof Promise;
    const judged: Judged<R> = isAwaited ? await judging : judging;
    // What was found later has taken its time.
    if ('value' in judged ? isAwaited : judged.isFoundLater) times = timesOf(call, startedAt);
    const { endedAt, endedMonotonicMs } = times;
    if ('value' in judged) return { kind: 'succeeded', value: judged.value, startedAt, endedAt, endedMonotonicMs };
    failed = judged;
    throwIfAborted(face.signal);
    const { failure, ruledOut } = reclassify(call, judged);
    const error = judged.errorFor(failure);
    return { kind: 'tried', failed, failure, ruledOut, error, startedAt, endedAt, endedMonotonicMs };
  } catch (error) {
    return broken(error, failed === undefined ? times : { ...times, failed });
  }
}

const isAborted = ({ signal }: { readonly signal: AbortSignal | undefined }): boolean => signal?.aborted === true;

function timesOf({ policy: { runtime } }: Call<unknown>, startedAt: number): Times {
  return { startedAt, endedAt: runtime.now(), endedMonotonicMs: runtime.monotonic() };
}

/** The time limit of an attempt. */
interface TimeLimit {
  /** Aborts with the caller's signal too. */
  readonly signal: AbortSignal | undefined;
  /** Ends the time; the signal still aborts with the caller's. */
  readonly stop: () => void;
  /** More of the answer has arrived. */
  readonly arrived: () => void;
  /** Called after the attempt. The caller may abort while what it has got is read. */
  readonly clear: (value: unknown) => void;
}

/** Starts the time limit of an attempt. Its signal then aborts with a `TimeoutError` that names the limit. */
function startLimit({ policy: { attemptTimeoutMs }, face }: Call<unknown>): TimeLimit | undefined {
  if (attemptTimeoutMs === undefined) return undefined;
  const limit = new AbortController();
  const { signal, release } = eitherSignal(face.signal, limit);
  let arrivals = 0;
  const cancelTimer = startIoLimit(
    attemptTimeoutMs,
    () => limit.abort(abortError(`No answer within ${attemptTimeoutMs} ms (attemptTimeoutMs).`, 'TimeoutError')),
    () => arrivals,
  );
  // A signal of another realm is released at once: where it comes from, its listeners may be counted.
  const isForeign = !(face.signal instanceof AbortSignal);
  const clear = (value: unknown): void => {
    cancelTimer();
    if (isForeign) release();
    else releaseAfter(value, release);
  };
  return { signal, stop: cancelTimer, arrived: () => void (arrivals += 1), clear };
}
