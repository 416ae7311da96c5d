/**
 * The first step of a round, and the only one that waits: until the planned moment, and longer if the gate or the chain
 * says "not yet". Then it takes the turn, sends, and lets `look` check a success. An abort, `retryNow` and `giveUp` end
 * the wait.
 */

import type { WaitEnd } from '../events/steering.ts';
import { operationSafety } from '../options/policy.ts';
import { isModelRequest } from '../http/model-request.ts';
import { discard } from '../body/response-body.ts';
import { createId, inNextTask, startTimer, systemRuntime } from '../runtime/runtime.ts';
import { abortError, eitherSignal, raceAbort, releaseAfter, throwIfAborted } from '../runtime/abort.ts';
import type { AttemptTarget, Choice, Route } from '../route/route.ts';
import {
  broken,
  type Call,
  type End,
  gateNow,
  lastFailure,
  type Next,
  type PlannedWait,
  stopped,
  type Tried,
} from './call.ts';
import type { AttemptChanges, AttemptOutcome, Exchange } from './exchange.ts';
import { hasSucceeded, letGo } from './judge.ts';
import { lookInside, needsLook, type TimeLimit } from './look.ts';
import { gaveUp, moved, planAgain, raceChoice } from './plan.ts';

/** A first attempt that was sent before the call had a record. */
export interface Sent<R> {
  readonly kind: 'sent';
  readonly outcome: AttemptOutcome<R>;
}

export interface Succeeded<R> extends Omit<Tried<R>, 'kind'> {
  readonly kind: 'succeeded';
  readonly outcome: { readonly response: R; readonly isWhole?: boolean };
}

/**
 * Waits for the planned moment, takes the turn and sends; or only looks into the outcome of a first attempt. Nothing is
 * awaited between the choice of a key and its use, because another call may find at any time that the key must rest. One
 * function, because each further one would keep its own frame in memory for the whole wait.
 */
export async function attempt<R>(call: Call<R>, given: Sent<R> | Next<R>): Promise<Succeeded<R> | Tried<R> | End<R>> {
  const { signal } = call.exchange;
  let next = given;
  let isRolledBack = false;
  try {
    for (;;) {
      if (next.kind === 'sent') return await look(call, next.outcome, call.startedAt, undefined);
      const { wait, last } = next;
      if (call.attempts === 0 && wait === undefined && !waitsFirst(call)) return await send(call, next);
      const end = wait === undefined ? 'elapsed' : await sleepUntil(call, wait);
      throwIfAborted(signal);
      if (wait !== undefined && end === 'given-up') return gaveUp(call, last, wait.until);
      if (isSwitchedOff(call)) return stopped(last, 'disabled');
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
export function waitsFirst({ policy, exchange }: Call<unknown>): boolean {
  return policy.takesTurns || exchange.signal?.aborted === true;
}

/** Sleeps until the moment, or until the controller or the gate ends the wait. */
async function sleepUntil(call: Call<unknown>, { held, ms, onFree }: PlannedWait): Promise<WaitEnd> {
  const endsAtMs = gateNow(call) + ms;
  const interrupt = held?.interrupt ?? (onFree && new AbortController());
  const { signal, release } = eitherSignal(call.exchange.signal, interrupt);
  let isFree = false;
  onFree?.(() => {
    isFree = true;
    interrupt?.abort();
  });
  try {
    // A listener may have ended the wait when it was announced.
    if (held?.ended === undefined) await sleep(call, ms, signal);
  } catch (error) {
    if (held?.ended === undefined && (!isFree || call.exchange.signal?.aborted === true)) throw error;
  } finally {
    release();
    held?.withdraw();
  }
  const end = held?.ended ?? 'elapsed';
  // A wait counts as over when its sleep has resolved, whatever the clock says.
  if (end === 'elapsed' && !isFree) call.waitedUntilMs = endsAtMs;
  return end;
}

/** Our own sleep obeys the signal. An injected one may ignore it, and in JavaScript it may return nothing. */
function sleep({ policy: { runtime } }: Call<unknown>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (runtime.sleep === systemRuntime.sleep) return runtime.sleep(ms, signal);
  return raceAbort((async () => runtime.sleep(ms, signal))(), signal);
}

/**
 * Whether the controller was switched off during the wait. A first attempt is sent anyway, because it is not a retry.
 */
function isSwitchedOff({ attempts, policy: { config } }: Call<unknown>): boolean {
  return attempts > 0 && config.controller?.enabled === false;
}

/** Undoes the operation before it is repeated. Raced with the abort. */
async function rollBack(call: Call<unknown>): Promise<void> {
  const { policy, exchange } = call;
  const { rollback } = policy.config;
  const failure = lastFailure(call);
  if (rollback === undefined || failure === undefined || operationSafety(policy, exchange) !== 'conditional') return;
  await raceAbort((async () => rollback(failure))(), exchange.signal);
}

type Turn<R> = 'taken' | Next<R> | End<R>;

/** Takes the slot and the token from the gate. Otherwise the moment has moved, or the call has ended. */
function takeTurn<R>(call: Call<R>, next: Next<R>, isForced: boolean): Turn<R> | Promise<Turn<R>> {
  const { route, policy } = call;
  if (route === undefined || !policy.takesTurns) return 'taken';
  const { retry, answer } = next;
  const chosen = route.take(gateNow(call), { failure: lastFailure(call), retry, answer, isForced });
  return chosen instanceof Promise
    ? raceChoice(call, chosen).then((choice) => settleTurn(call, next, route, choice))
    : settleTurn(call, next, route, chosen);
}

function settleTurn<R>(call: Call<R>, next: Next<R>, route: Route, choice: Choice): Turn<R> {
  if (choice.obstacle !== null) return planAgain(call, next, route, choice, choice.obstacle);
  moved(call, route.adopt?.(gateNow(call), choice, call.attempts, lastFailure(call)));
  return 'taken';
}

/** Sends one attempt to the current target. */
async function send<R>(call: Call<R>, { last, isAnnounced }: Next<R>): Promise<Succeeded<R> | Tried<R> | End<R>> {
  const { policy, exchange, announcer } = call;
  const { runtime, maxRetries, config } = policy;
  const target = call.route?.current.prepare?.((request) => announcer.learn(request));
  letGo(last);
  const number = call.attempts + 1;
  if (number > 1 || isAnnounced) {
    announcer.emit({ type: 'attempt', attempt: number, ...(target !== undefined && { target: target.name }) });
    // A listener may have aborted the call.
    throwIfAborted(exchange.signal);
  }
  call.attempts = number;
  const startedAt = runtime.now();
  const limit = startLimit(call);
  let response: unknown;
  try {
    const changes = changesOf(call, target, limit);
    const isLast = config.fallback === undefined && number > maxRetries;
    const sendIt = (): Promise<R> => sendSafely(exchange, number, isLast, changes);
    const sent = withinGate(call.route, sendIt);
    const outcome = await raceAbort(
      sent,
      changes?.signal ?? exchange.signal,
      discard,
      // The time limit ends the attempt at once; the caller's abort asks the transport first.
      (end) => (exchange.signal?.aborted === true ? inNextTask(end) : end()),
    ).then(responded<R>, threw);
    if ('response' in outcome) response = outcome.response;
    return await look(call, outcome, startedAt, limit);
  } finally {
    limit?.clear(response);
  }
}

/** Sends an attempt, so that its gate knows the calls that are made within it. */
export function withinGate<T>(route: Route | undefined, sendIt: () => T): T {
  const session = route?.current.session;
  return session?.within === undefined ? sendIt() : session.within(sendIt);
}

/** The outcome of an attempt, after a check for a failure inside a success. */
async function look<R>(
  call: Call<R>,
  outcome: AttemptOutcome<R>,
  startedAt: number,
  limit: TimeLimit | undefined,
): Promise<Succeeded<R> | Tried<R> | End<R>> {
  const { policy, exchange } = call;
  const tried = triedAt(call, outcome, startedAt);
  if (hasSucceeded(outcome) && isUnread(call, outcome.response)) await exchange.readWords?.();
  if (exchange.signal?.aborted === true) return { kind: 'end', how: 'aborted', outcome };
  if (!hasSucceeded(outcome)) return tried;
  const { response } = outcome;
  if (!needsLook(policy, exchange, response)) return { ...tried, kind: 'succeeded', outcome };
  const found = await lookInside(call, response, tried.endedAt, limit);
  // A failure inside a stream was sent after the headers, and the wait counts from there.
  const looked = triedAt(call, found, startedAt);
  return hasSucceeded(found) ? { ...looked, kind: 'succeeded', outcome: found } : looked;
}

/** Whether a success has to be looked into only if its request goes to a model, and the body of that was not read. */
function isUnread({ policy, exchange }: Call<unknown>, response: unknown): boolean {
  return isModelRequest(exchange) === undefined && needsLook(policy, exchange, response);
}

function triedAt<R>({ policy: { runtime } }: Call<R>, outcome: AttemptOutcome<R>, startedAt: number): Tried<R> {
  return { kind: 'tried', outcome, startedAt, endedAt: runtime.now(), endedMonotonicMs: runtime.monotonic() };
}

const responded = <R>(response: R): AttemptOutcome<R> => ({ response });
const threw = (error: unknown): { readonly error: unknown } => ({ error });

/** Sends, and turns a throw of the transport into a rejection. */
export function sendSafely<R>(
  exchange: Exchange<R>,
  number: number,
  isLast: boolean,
  changes: AttemptChanges | undefined,
): Promise<R> {
  try {
    const sent: Promise<R> | R = exchange.send(number, isLast, changes);
    return sent instanceof Promise ? sent : Promise.resolve(sent);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** undefined: the attempt gets the caller's arguments unchanged. */
function changesOf(
  call: Call<unknown>,
  target: AttemptTarget | undefined,
  limit: TimeLimit | undefined,
): AttemptChanges | undefined {
  const { attemptHeader, idempotencyKeyHeader } = call.policy.config;
  const headers: Record<string, string> = {};
  if (idempotencyKeyHeader !== undefined) headers[idempotencyKeyHeader] = idempotencyKeyFor(call);
  if (attemptHeader !== undefined && call.attempts > 1) headers[attemptHeader] = String(call.attempts - 1);
  if (limit === undefined && target === undefined && Object.keys(headers).length === 0) return undefined;
  return { signal: limit === undefined ? call.exchange.signal : limit.signal, headers, target };
}

/** One key per target: another target, or another body, is another request. */
function idempotencyKeyFor(call: Call<unknown>): string {
  const target = call.route?.current.target;
  const keys = (call.idempotencyKeys ??= new Map());
  const key = keys.get(target) ?? createId();
  keys.set(target, key);
  return key;
}

/** Starts the time limit of an attempt. Its signal then aborts with a `TimeoutError` that names the limit. */
function startLimit({ policy: { attemptTimeoutMs }, exchange }: Call<unknown>): TimeLimit | undefined {
  if (attemptTimeoutMs === undefined) return undefined;
  const limit = new AbortController();
  const { signal, release } = eitherSignal(exchange.signal, limit);
  const cancelTimer = startTimer(attemptTimeoutMs, () =>
    limit.abort(abortError(`No answer within ${attemptTimeoutMs} ms (attemptTimeoutMs).`, 'TimeoutError')),
  );
  // A signal of another realm is released at once: where it comes from, its listeners may be counted.
  const isForeign = !(exchange.signal instanceof AbortSignal);
  const clear = (response: unknown): void => {
    cancelTimer();
    if (isForeign) release();
    else releaseAfter(response, release);
  };
  return { signal, stop: cancelTimer, clear };
}
