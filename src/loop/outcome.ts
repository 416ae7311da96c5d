/**
 * What an attempt ended in, and how the call reads it: what the classification found, the caller's list of statuses and
 * last word, and what the server says of retrying.
 */

import { readError, type Verdict } from '../classify/index.ts';
import { textOf } from '../failure/first-bytes.ts';
import type { Failure } from '../failure/failure.ts';
import type { Outcome } from '../policy/config.ts';
import type { Policy } from '../policy/policy.ts';
import { readResponse } from '../stream/classify.ts';
import { type Peek, peekBody } from '../stream/response-body.ts';
import type { HeadersLike, TransportResponse } from '../transport.ts';
import { reasonOf } from './abort.ts';
import type { Call, FailedAttempt } from './call.ts';
import type { AttemptOutcome } from './exchange.ts';

/** The response as the loop needs it; a custom transport may give less than a `Response`. */
interface ResponseLike {
  readonly ok?: boolean;
  readonly status?: number;
  readonly headers?: HeadersLike;
}

/** What a transport resolves with is a response, by its interface; the rest of a `Response` may be missing. */
export function isResponse(value: unknown): value is Response | TransportResponse {
  return typeof value === 'object' && value !== null;
}

/** Whether a response is a success. A status below 400 is the caller's business; without a status `ok` tells. */
export function isSuccess(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return true;
  const { status }: ResponseLike = response;
  return typeof status === 'number' ? status < 400 : !('ok' in response) || response.ok !== false;
}

/** The headers of an outcome, for the gate; undefined for an error, and for a transport that gives none. */
export function headersOf(outcome: AttemptOutcome<unknown> | undefined): HeadersLike | undefined {
  if (outcome === undefined || 'error' in outcome || !isResponse(outcome.response)) return undefined;
  return outcome.response.headers;
}

/** Whether an attempt succeeded. */
export function hasSucceeded<R>(outcome: AttemptOutcome<R>): outcome is { readonly response: R } {
  return 'response' in outcome && outcome.inBand === undefined && isSuccess(outcome.response);
}

/**
 * Reads the failed outcome of the last attempt.
 *
 * @throws what the caller's `classify` throws, and the reason of an abort
 */
export async function readOutcome(call: Call<unknown>, outcome: AttemptOutcome<unknown>): Promise<FailedAttempt> {
  const { announcer, exchange, policy } = call;
  // Awaited only where there is a body to read: most failures have none.
  const peeking = peekOutcome(outcome, exchange.signal);
  const peek = peeking instanceof Promise ? await peeking : peeking;
  if (exchange.signal?.aborted === true) throw reasonOf(exchange.signal);
  const body = peek?.body;
  const verdict = verdictOf(call, outcome, body);
  // The list is about responses: a status that a thrown error names is evidence like any other.
  const read = applyPolicy(verdict, 'error' in outcome ? null : policy.retryableStatusCodes);
  const { failure, serverSaidStop } = applyClassify(policy, read, outcome, body);
  const error = 'error' in outcome ? outcome.error : announcer.statusError(failure, body);
  return { failure, serverSaidStop, error: isThrown(error) ? error : undefined, drained: peek?.drained ?? true };
}

type Reading = Pick<FailedAttempt, 'failure' | 'serverSaidStop'>;

/** A look at the body. What was found inside a success was read already; its rest is on the wire. */
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
  outcome: AttemptOutcome<unknown>,
  body: Uint8Array | string | undefined,
): Verdict {
  const { announcer, exchange, endedAt } = call;
  if ('error' in outcome) {
    const read = readError(outcome.error, announcer.secrets, exchange.wording);
    const failure = unknownRetried(call, ownTimeout(read, outcome.error, exchange.signal), outcome.error);
    return { failure, basis: 'evidence', serverSaid: null };
  }
  if (outcome.inBand !== undefined) return outcome.inBand.verdict;
  const { status = 500, headers }: ResponseLike = isResponse(outcome.response) ? outcome.response : {};
  // Without words of the server there is nothing to scrub.
  const secrets = body === undefined || body.length === 0 ? undefined : announcer.secrets;
  const verdict = readResponse({ status, headers, body, nowMs: endedAt, secrets });
  // A transport may call a status below 400 a failure; its type is unknown.
  return verdict ?? { failure: unknownFailure(status), basis: 'evidence', serverSaid: null };
}

/** A time-out that is not the caller's is a limit of the inner fetch or the operation, and so worth a retry. */
function ownTimeout(failure: Failure, error: unknown, signal: AbortSignal | undefined): Failure {
  const isTimeout = typeof error === 'object' && error !== null && 'name' in error && error.name === 'TimeoutError';
  if (!isTimeout || failure.retryable || signal?.aborted === true) return failure;
  return Object.freeze({ ...failure, type: 'timeout', retryable: true, category: 'retryable' });
}

/** `retryUnknownErrors`: an operation may fail in words that no rule knows; an error of the program stays one. */
function unknownRetried({ policy, exchange }: Call<unknown>, failure: Failure, error: unknown): Failure {
  const isAsked = policy.config.retryUnknownErrors === true && exchange.wording !== undefined;
  if (!isAsked || failure.type !== 'unknown' || isProgramError(error)) return failure;
  return Object.freeze({ ...failure, retryable: true });
}

function isProgramError(error: unknown): boolean {
  const name = typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined;
  return typeof name === 'string' && /^(?:Type|Syntax|Reference|Range|Eval|URI|Assertion)Error$/.test(name);
}

function applyPolicy({ failure, basis, serverSaid }: Verdict, codes: readonly number[] | null): Reading {
  const status = failure.status ?? 0;
  const listed = codes?.includes(status) === true || serverSaid === 'retry';
  let { retryable } = failure;
  if (listed && basis === 'status') retryable = true;
  if (codes !== null && status >= 400 && !listed) retryable = false;
  const serverSaidStop = serverSaid === 'stop' && retryable;
  if (serverSaidStop) retryable = false;
  return {
    failure: retryable === failure.retryable ? failure : Object.freeze({ ...failure, retryable }),
    serverSaidStop,
  };
}

/** The caller's `classify` has the last word. */
function applyClassify(
  { config: { classify } }: Policy,
  read: Reading,
  outcome: AttemptOutcome<unknown>,
  body: Uint8Array | string | undefined,
): Reading {
  const named = classify?.(read.failure, publicOutcome(outcome, body));
  if (named === undefined) return read;
  // The status stays, whatever the caller calls the failure.
  const { status } = read.failure;
  const failure = Object.freeze({ ...(status !== undefined && { status }), ...named });
  return { failure, serverSaidStop: read.serverSaidStop && !named.retryable };
}

function publicOutcome(outcome: AttemptOutcome<unknown>, body: Uint8Array | string | undefined): Outcome {
  if ('error' in outcome) return outcome;
  return isResponse(outcome.response)
    ? { response: outcome.response, body: textOf(body) }
    : { error: outcome.response };
}

function unknownFailure(status: number): Failure {
  return Object.freeze({
    type: 'unknown',
    retryable: false,
    category: 'non-retryable',
    status,
    message: `HTTP ${status} without \`ok\``,
    phase: 'response',
  });
}

/** The callbacks get the very object that was thrown, which by their type is an `Error`. */
function isThrown(value: unknown): value is Error {
  return value !== undefined;
}
