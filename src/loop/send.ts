/**
 * One attempt: what it adds to the caller's arguments, its time limit, the race with the caller's abort, and the check
 * of a success. Some failures have status 200: an error as the first event of a stream, a stream that ends before its
 * first content, a JSON body that is an error. A response that may be one of these is checked before the caller gets
 * it.
 */

import { markAttemptTimeout, readError, readFailure, type Verdict } from '../classify/index.ts';
import { makeFailure } from '../classify/make-failure.ts';
import { textOf } from '../runtime/first-bytes.ts';
import type { AttemptTarget } from '../route/route.ts';
import { parseJson } from '../runtime/values.ts';
import type { Policy } from '../options/policy.ts';
import { createId, startTimer } from '../runtime/runtime.ts';
import { readResponse } from '../classify/classify.ts';
import { holdStream } from '../stream/guard.ts';
import { protocolOf } from '../protocol/event-kinds.ts';
import { discard, isReadableTwice, PEEK_BYTES, readStart, WHOLE_BYTES } from '../fetch/response-body.ts';
import { eitherSignal, raceAbort, throwIfAborted } from '../runtime/abort.ts';
import type { Call } from './call.ts';
import type { AttemptChanges, AttemptOutcome, Exchange, InBandFailure } from './exchange.ts';
import { discardResponse, hasSucceeded, isResponse } from './outcome.ts';

/** Sends one attempt to the current target, and sets `call.outcome`. */
export async function send<R>(call: Call<R>): Promise<void> {
  const { policy, exchange, announcer } = call;
  const { runtime, maxRetries, config } = policy;
  const target = call.route?.targetOf((request) => announcer.learn(request));
  letGo(call);
  const attempt = call.attempts + 1;
  if (attempt > 1 || call.isAnnounced) {
    announcer.emit({ type: 'attempt', attempt, ...(target !== undefined && { target: target.name }) });
    // A listener may have aborted the call.
    throwIfAborted(exchange.signal);
  }
  call.isAnnounced = false;
  call.attempts = attempt;
  call.attemptStartedAt = runtime.now();
  const changes = changesOf(call, target);
  const isLast = config.fallback === undefined && call.attempts > maxRetries;
  const sent = sendSafely(exchange, call.attempts, isLast, changes);
  const outcome = await raceAbort(sent, changes?.signal ?? exchange.signal, discard).then(responded<R>, threw);
  await look(call, outcome);
}

/**
 * Sets the outcome of an attempt, after a check for a failure inside a success. The time limit of the attempt ends
 * here.
 */
export async function look<R>(call: Call<R>, outcome: AttemptOutcome<R>): Promise<void> {
  const { policy, exchange } = call;
  markEnd(call);
  call.outcome = outcome;
  if (hasSucceeded(outcome) && needsLook(policy, exchange.method, outcome.response)) {
    call.outcome = await lookInside(call, outcome.response);
    // A failure inside a stream was sent after the headers, and the wait counts from there.
    markEnd(call);
  }
  call.limit?.clear();
}

function markEnd(call: Call<unknown>): void {
  const { runtime } = call.policy;
  call.endedAt = runtime.now();
  call.endedMonotonicMs = runtime.monotonic();
}

/** Releases the last outcome; the call can no longer return it. */
export function letGo(call: Call<unknown>): void {
  if (call.failed?.drained === false) discardResponse(call.outcome);
  call.outcome = undefined;
  call.failed = undefined;
}

const responded = <R>(response: R): AttemptOutcome<R> => ({ response });
const threw = (error: unknown): { readonly error: unknown } => ({ error });

/** Sends, and turns a throw of the transport into a rejection. */
export function sendSafely<R>(
  exchange: Exchange<R>,
  attempt: number,
  isLast: boolean,
  changes: AttemptChanges | undefined,
): Promise<R> {
  try {
    const sent: Promise<R> | R = exchange.send(attempt, isLast, changes);
    return sent instanceof Promise ? sent : Promise.resolve(sent);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** undefined: the attempt gets the caller's arguments unchanged. */
function changesOf(call: Call<unknown>, target: AttemptTarget | undefined): AttemptChanges | undefined {
  const { config, attemptTimeoutMs } = call.policy;
  const { attemptHeader, idempotencyKeyHeader } = config;
  const headers: Record<string, string> = {};
  if (idempotencyKeyHeader !== undefined) headers[idempotencyKeyHeader] = idempotencyKeyFor(call);
  if (attemptHeader !== undefined && call.attempts > 1) headers[attemptHeader] = String(call.attempts - 1);
  if (attemptTimeoutMs !== undefined) startLimit(call, attemptTimeoutMs);
  if (attemptTimeoutMs === undefined && target === undefined && Object.keys(headers).length === 0) return undefined;
  return { signal: call.limit?.signal ?? call.exchange.signal, headers, target };
}

/** One key per target: another target, or another body, is another request. */
function idempotencyKeyFor(call: Call<unknown>): string {
  const target = call.route?.target;
  const keys = (call.idempotencyKeys ??= new Map());
  const key = keys.get(target) ?? createId();
  keys.set(target, key);
  return key;
}

/** Starts the time limit of an attempt. Its signal then aborts with a `TimeoutError` that names the limit. */
function startLimit(call: Call<unknown>, timeoutMs: number): void {
  const limit = new AbortController();
  const { signal, release } = eitherSignal(call.exchange.signal, limit);
  const cancelTimer = startTimer(timeoutMs, () => {
    const error = new DOMException(`No answer within ${timeoutMs} ms (attemptTimeoutMs).`, 'TimeoutError');
    markAttemptTimeout(error);
    limit.abort(error);
  });
  const clear = (): void => {
    cancelTimer();
    release();
    call.limit = undefined;
  };
  call.limit = { signal, clear };
}

/** Whether a success has to be checked for a failure inside it. Called for every success. */
export function needsLook(policy: Policy, method: string, response: unknown): response is Response {
  if ((policy.guard === null && !policy.guardJson) || method !== 'POST' || !isResponse(response)) return false;
  // Reading a member of a response is slow, so each is read once.
  const { headers } = response;
  // The headers of a custom transport may be a Map, which returns undefined.
  const contentType: unknown = typeof headers?.get === 'function' ? headers.get('content-type') : undefined;
  // First, because it is the most frequent type, and cheaper to recognise than a stream.
  if (typeof contentType !== 'string' || (!policy.guardJson && isPlainJson(contentType))) return false;
  const mayFail =
    protocolOf(contentType) === null ? policy.guardJson && isHeldJson(contentType, headers) : policy.guard !== null;
  return mayFail && response.status === 200 && isReadableTwice(response);
}

const isPlainJson = (contentType: string): boolean =>
  contentType === 'application/json' || contentType.startsWith('application/json;');

const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

function isHeldJson(contentType: string, headers: Headers | undefined): boolean {
  return JSON_TYPE.test(contentType) && !(Number(headers?.get('content-length')) > WHOLE_BYTES);
}

async function lookInside<R>(call: Call<R>, response: R & Response): Promise<AttemptOutcome<R>> {
  const isStream = protocolOf(response.headers.get('content-type')) !== null;
  const signal = call.limit?.signal ?? call.exchange.signal;
  // The time limit ends at the headers, except for a stream that is held.
  if (!isStream) call.limit?.clear();
  try {
    const inBand = await (isStream ? lookIntoStream(call, response, signal) : lookIntoBody(call, response, signal));
    return inBand === null ? { response } : { response, inBand };
  } catch (error) {
    discard(response);
    return { error };
  }
}

async function lookIntoBody(
  { policy, announcer, endedAt }: Call<unknown>,
  response: Response,
  signal: AbortSignal | undefined,
): Promise<InBandFailure | null> {
  const { body, drained, broken } = await readStart(
    response,
    signal,
    WHOLE_BYTES,
    policy.guard?.maxHoldMs ?? MAX_HOLD_MS,
  );
  throwIfAborted(signal);
  const { status, headers } = response;
  const { secrets } = announcer;
  if (broken !== undefined || (drained && isCutJson(body)))
    return { verdict: interrupted(status, broken?.cause, secrets, 'The body ended before it was complete'), body: '' };
  const isSmall = body !== undefined && body.length <= PEEK_BYTES;
  const verdict = drained && isSmall ? readResponse({ status, headers, body, nowMs: endedAt, secrets }) : null;
  return verdict === null ? null : { verdict, body: textOf(body) ?? '' };
}

/** Where stream guards are switched off, a JSON body is held for so long at most. */
const MAX_HOLD_MS = 30_000;

/** A server that closes the connection ends a body without a length wherever it was. JSON says itself where it ends. */
function isCutJson(body: Uint8Array | string | undefined): boolean {
  const text = textOf(body)?.trim() ?? '';
  if (!/^[[{]/.test(text) || parseJson(text) !== undefined) return false;
  // Escapes first, because a pattern that steps over them within a string is not linear.
  const brackets = text.replace(/\\./g, '').replace(/"[^"]*"/g, '');
  // An open quote, or more that opens than closes.
  return brackets.includes('"') || brackets.split(/[[{]/).length > brackets.split(/[\]}]/).length;
}

async function lookIntoStream(
  { policy, announcer, endedAt }: Call<unknown>,
  response: Response,
  signal: AbortSignal | undefined,
): Promise<InBandFailure | null> {
  const held = policy.guard === null ? null : await holdStream(response, policy.guard, signal);
  if (held === null) return null;
  // Read only when there is something to scrub.
  const { secrets } = announcer;
  const { status, headers } = response;
  if ('interrupted' in held) return { verdict: interrupted(status, held.cause, secrets), body: '' };
  return { verdict: readFailure({ status, headers, nowMs: endedAt, secrets }, held, 'stream'), body: held.text };
}

/** @throws `cause` if a signal ended the stream, because then the server did not fail */
function interrupted(
  status: number,
  cause: unknown,
  secrets: readonly string[],
  what = 'The stream ended before its first content',
): Verdict {
  const broken = cause === undefined ? undefined : readError(cause, { secrets });
  if (broken?.type === 'aborted') throw cause;
  const words = broken === undefined ? '' : `: ${broken.message}`;
  const failure = makeFailure(
    {
      type: 'stream_interrupted',
      status,
      code: broken?.code,
      message: `${what}${words}`,
      phase: 'stream',
    },
    secrets,
  );
  return { basis: 'evidence', serverSaid: null, failure };
}
