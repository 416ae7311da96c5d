/**
 * Names the failure that an attempt ended in, and says nothing about what follows: first the classification, then the
 * caller's list of statuses and `classify`, and `x-should-retry` of the server.
 */

import { applyRules, nothingWasSent, readError, type RuledFailure, type Verdict } from '../classify/index.ts';
import { statusFailure, withRetryable } from '../classify/make-failure.ts';
import { textOf } from '../runtime/first-bytes.ts';
import { expectNumber, mismatch } from '../runtime/expect.ts';
import { type Failure, FAILURES, isFailureType } from '../failure/failure.ts';
import { redact } from '../redact/redact.ts';
import { get, hasMethod, isObject } from '../runtime/values.ts';
import type { Outcome } from '../options/config.ts';
import { readResponse } from '../classify/classify.ts';
import { discard, type Peek, peekBody } from '../body/response-body.ts';
import type { HeadersLike, TransportResponse } from '../transport.ts';
import { throwIfAborted } from '../runtime/abort.ts';
import { broken, type Call, type End, type Failed, type Tried } from './call.ts';
import type { AttemptOutcome } from './exchange.ts';

/** The members of a response that the loop reads; a custom transport may return less than a `Response`. */
interface ResponseLike {
  readonly ok?: boolean;
  readonly status?: number;
  readonly headers?: HeadersLike;
}

/** Whether a transport resolved with a response. Members of `Response` may be missing. */
export function isResponse(value: unknown): value is Response | TransportResponse {
  return typeof value === 'object' && value !== null;
}

/** Whether a response is a success: a status below 400, or `ok` if there is no status. */
export function isSuccess(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return true;
  const { status }: ResponseLike = response;
  return typeof status === 'number' ? status < 400 : !('ok' in response) || response.ok !== false;
}

/** The headers of an outcome, for the gate; undefined for an error, and if the transport gives none. */
export function headersOf(outcome: AttemptOutcome<unknown> | undefined): HeadersLike | undefined {
  if (outcome === undefined || 'error' in outcome || !isResponse(outcome.response)) return undefined;
  return outcome.response.headers;
}

/** Discards a response that the call will not return. */
export function discardResponse(outcome: AttemptOutcome<unknown> | undefined): void {
  if (outcome !== undefined && 'response' in outcome) discard(outcome.response);
}

/** Releases a failed attempt whose outcome the call will not return. */
export function letGo(failed: Failed<unknown> | undefined): void {
  if (failed?.drained === false) discardResponse(failed.outcome);
}

/** Whether an attempt succeeded. */
export function hasSucceeded<R>(
  outcome: AttemptOutcome<R>,
): outcome is { readonly response: R; readonly isWhole?: boolean } {
  return 'response' in outcome && outcome.inBand === undefined && isSuccess(outcome.response);
}

/** Reads a failed attempt; or ends the call if the caller's `classify` throws, and after an abort. */
export async function judge<R>(call: Call<R>, tried: Tried<R>): Promise<Failed<R> | End<R>> {
  const { announcer, exchange, policy } = call;
  const { outcome } = tried;
  try {
    // Awaited only if there is a body to read; most failures have none.
    const peeking = policy.readsBodies ? peekOutcome(outcome, exchange.signal) : undefined;
    const peek = peeking instanceof Promise ? await peeking : peeking;
    throwIfAborted(exchange.signal);
    const body = peek?.body;
    const verdict = verdictOf(call, tried, body);
    // The list applies to responses only. A status in a thrown error is read like any other evidence.
    const ruled = applyRules(verdict, 'error' in outcome ? null : policy.retryableStatusCodes);
    const { failure, serverSaidStop } = applyClassify(call, ruled, outcome, body);
    const error = 'error' in outcome ? outcome.error : announcer.statusError(failure, body);
    return {
      ...tried,
      kind: 'failed',
      failure,
      serverSaidStop,
      // By what was read, because `classify` may name another failure for it.
      wasNotSent: 'error' in outcome && nothingWasSent(outcome.error, verdict.failure),
      error: isThrown(error) ? error : undefined,
      drained: peek?.drained ?? true,
    };
  } catch (error) {
    return broken(error, tried);
  }
}

/**
 * Reads the beginning of the body. A failure inside a success was read before; the rest of that body is still unread.
 */
function peekOutcome(
  outcome: AttemptOutcome<unknown>,
  signal: AbortSignal | undefined,
): Peek | undefined | Promise<Peek> {
  if ('error' in outcome || !isResponse(outcome.response)) return undefined;
  return outcome.inBand === undefined
    ? peekBody(outcome.response, signal)
    : { body: outcome.inBand.body, drained: false };
}

function verdictOf(
  call: Call<unknown>,
  { outcome, endedAt }: Tried<unknown>,
  body: Uint8Array | string | undefined,
): Verdict {
  const { announcer, exchange } = call;
  if ('error' in outcome) {
    const read = readError(outcome.error, { secrets: announcer.secrets, wording: exchange.wording, nowMs: endedAt });
    const failure = ownTimeout(read, outcome.error);
    return { failure: exchange.reread?.(failure, outcome.error) ?? failure, basis: 'evidence', serverSaid: null };
  }
  if (outcome.inBand !== undefined) return outcome.inBand.verdict;
  const { status = 500, headers }: ResponseLike = isResponse(outcome.response) ? outcome.response : {};
  // Without a body there is nothing to scrub.
  const secrets = body === undefined || body.length === 0 ? undefined : announcer.secrets;
  const verdict = readResponse({ status, headers, body, nowMs: endedAt, secrets });
  if (verdict !== null) return verdict;
  // A custom transport may give a status that is no number, such as NaN.
  const failure = statusFailure({
    type: 'unknown',
    status,
    message: `No valid HTTP status: ${status}`,
    phase: 'response',
  });
  return { failure, basis: 'evidence', serverSaid: null };
}

/** The caller has not aborted, so a `TimeoutError` is a limit of the inner fetch or of the operation: retryable. */
function ownTimeout(failure: Failure, error: unknown): Failure {
  if (get(error, 'name') !== 'TimeoutError' || failure.retryable) return failure;
  return withRetryable({ ...failure, type: 'timeout', category: 'retryable' }, true);
}

/**
 * Applies the caller's `classify`, which overrides everything else. What its failure must have and leaves out is kept.
 */
function applyClassify(
  { policy: { config }, announcer }: Call<unknown>,
  read: RuledFailure,
  outcome: AttemptOutcome<unknown>,
  body: Uint8Array | string | undefined,
): RuledFailure {
  const named: unknown = config.classify?.(read.failure, publicOutcome(outcome, body));
  if (!isObject(named)) return read;
  if (hasMethod(named, 'then')) {
    // Its rejection would end the process.
    Promise.resolve(named).catch(() => {});
    throw new TypeError(mismatch('classify()', 'a failure or undefined, not a promise', named));
  }
  const { type, retryable, category, status, message, phase } = read.failure;
  const kept = { type, retryable, category, ...(status !== undefined && { status }), message, phase };
  const merged = retyped(read.failure, { ...kept, ...named });
  // The caller may have read the message from the body, which can repeat a key of the request.
  const scrubbed = merged.message === message ? message : redact(merged.message, announcer.secrets);
  const failure = Object.freeze({ ...merged, message: scrubbed });
  return { failure, serverSaidStop: read.serverSaidStop && !failure.retryable };
}

/**
 * A failure of another type gets the category and the action of that type, unless `classify` has changed them too.
 *
 * @throws TypeError for a type that does not exist, and for a hint that is no time
 */
function retyped(read: Failure, { action, ...named }: Failure): Failure {
  const { type, category, retryable, retryAfterMs } = named;
  if (!isFailureType(type)) throw new TypeError(mismatch('type', 'a failure type in the result of `classify`', type));
  // NaN passes every limit, and the retry would be sent at once.
  if (retryAfterMs !== undefined) expectNumber('classify().retryAfterMs', retryAfterMs);
  const { category: usual, action: advice = null } = type === read.type ? read : FAILURES[type];
  const isOwn = action !== undefined && action !== read.action;
  const isNowRetryable = retryable && (!read.retryable || type !== read.type);
  const stated = isOwn ? action : isNowRetryable ? null : advice;
  return {
    ...named,
    category: category === read.category ? usual : category,
    ...(stated !== null && { action: stated }),
  };
}

function publicOutcome(outcome: AttemptOutcome<unknown>, body: Uint8Array | string | undefined): Outcome {
  if ('error' in outcome) return outcome;
  return isResponse(outcome.response)
    ? { response: outcome.response, body: textOf(body) }
    : { error: outcome.response };
}

/** Callbacks get the object that was thrown, whatever it is, although their type says `Error`. */
function isThrown(value: unknown): value is Error {
  return value !== undefined;
}
