/**
 * Some failures have status 200: an error as the first event of a stream, a stream that ends before its first content,
 * a JSON body that is an error. A response that may be one of these is checked before the caller gets it.
 */

import { readError, readFailure, type Verdict } from '../classify/index.ts';
import { makeFailure } from '../classify/make-failure.ts';
import { textOf } from '../runtime/first-bytes.ts';
import { parseJson } from '../runtime/values.ts';
import type { Policy } from '../options/policy.ts';
import { readResponse } from '../classify/classify.ts';
import { isModelRequest, type SentRequest } from '../http/model-request.ts';
import { protocolOf } from '../protocol/event-kinds.ts';
import { isInBandError } from '../protocol/in-band-error.ts';
import type { Framing } from '../protocol/split-events.ts';
import { holdStream } from '../http/hold.ts';
import { discard, isReadableTwice, PEEK_BYTES, readStart, WHOLE_BYTES } from '../body/response-body.ts';
import { throwIfAborted } from '../runtime/abort.ts';
import type { Call } from './call.ts';
import type { AttemptOutcome } from './exchange.ts';
import { isResponse } from './judge.ts';

/** The time limit of one attempt. */
export interface TimeLimit {
  /** Aborts with the caller's signal too. */
  readonly signal: AbortSignal | undefined;
  /** Ends the time; the signal still aborts with the caller's. */
  readonly stop: () => void;
  /** Called after the attempt. The caller may abort while the body of its response is read. */
  readonly clear: (response: unknown) => void;
}

/**
 * Whether a success has to be checked for a failure inside it, or watched; also if that depends on words that were not
 * read. Called for every success.
 */
export function needsLook(policy: Policy, request: SentRequest, response: unknown): response is Response {
  const { guard, guardJson, config } = policy;
  const isWatched = config.streamWatch !== undefined;
  if ((guard === null && guardJson === false && !isWatched) || !isResponse(response)) return false;
  // Only the answer to a POST is held.
  if (!isWatched && request.method !== 'POST') return false;
  // Reading a member of a response is slow, so each is read once.
  const { headers } = response;
  // The headers of a custom transport may be a Map, which returns undefined.
  const contentType: unknown = typeof headers?.get === 'function' ? headers.get('content-type') : undefined;
  if (typeof contentType !== 'string') return false;
  // Plain JSON first, because it is the most frequent type, and cheaper to recognise than a stream.
  if (!isPlainJson(contentType)) {
    if (protocolOf(contentType) !== null)
      return (isWatched || (guard !== null && isAnswer(request, response))) && isReadableTwice(response);
    if (!JSON_TYPE.test(contentType)) return false;
  }
  return (
    guardJson !== false &&
    (guardJson === true || isModelRequest(request) !== false) &&
    isAnswer(request, response) &&
    !(Number(headers?.get('content-length')) > WHOLE_BYTES) &&
    isReadableTwice(response)
  );
}

/** Whether a body may be held. */
function isAnswer({ method }: SentRequest, { status }: { readonly status?: unknown }): boolean {
  return method === 'POST' && status === 200;
}

const isPlainJson = (contentType: string): boolean =>
  contentType === 'application/json' || contentType.startsWith('application/json;');

const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Looks for a failure inside a success.
 *
 * @param endedAt when the response headers came
 */
export async function lookInside<R>(
  call: Call<R>,
  response: R & Response,
  endedAt: number,
  limit: TimeLimit | undefined,
): Promise<AttemptOutcome<R>> {
  const framing = protocolOf(response.headers.get('content-type'));
  const answer = { call, response, endedAt, limit, signal: limit?.signal ?? call.exchange.signal };
  try {
    return await (framing === null ? lookIntoBody(answer) : lookIntoStream(answer, framing));
  } catch (error) {
    discard(response);
    return { error };
  }
}

/** What is looked into. */
interface Answer<R> {
  readonly call: Call<R>;
  readonly response: R & Response;
  readonly endedAt: number;
  readonly limit: TimeLimit | undefined;
  readonly signal: AbortSignal | undefined;
}

async function lookIntoBody<R>({ call, response, endedAt, signal }: Answer<R>): Promise<AttemptOutcome<R>> {
  const { policy, announcer } = call;
  const { body, drained, broken } = await readStart(response, signal, WHOLE_BYTES, policy.maxJsonHoldMs);
  throwIfAborted(signal);
  const { status, headers } = response;
  const text = drained ? (textOf(body) ?? '') : '';
  // Parsed once, because that takes the most time.
  const value = parseJson(text);
  if (broken !== undefined || (value === undefined && isCutJson(text))) {
    const verdict = interrupted(status, broken?.cause, announcer.secrets, 'The body ended before it was complete');
    return { response, inBand: { verdict, body: '' } };
  }
  if (text.length > PEEK_BYTES || (value !== undefined && !isInBandError(value))) return { response };
  const { secrets } = announcer;
  const verdict = readResponse({ status, headers, body, nowMs: endedAt, secrets });
  return verdict === null ? { response } : { response, inBand: { verdict, body: text } };
}

/** A server that closes the connection ends a body without a length wherever it was. JSON says itself where it ends. */
function isCutJson(body: string): boolean {
  const text = body.trim();
  if (!/^[[{]/.test(text)) return false;
  // Escapes first, because a pattern that steps over them within a string is not linear.
  const brackets = text.replace(/\\./g, '').replace(/"[^"]*"/g, '');
  // An open quote, or more that opens than closes.
  return brackets.includes('"') || brackets.split(/[[{]/).length > brackets.split(/[\]}]/).length;
}

async function lookIntoStream<R>(
  { call, response, endedAt, limit, signal }: Answer<R>,
  framing: Framing,
): Promise<AttemptOutcome<R>> {
  const { policy, announcer, exchange } = call;
  const { guard } = policy;
  if (guard === null || !isAnswer(exchange, response)) return { response };
  const { failure, isWhole, ...held } = await holdStream(response, framing, guard, {
    isModelRequest: () => isModelRequest(exchange) === true,
    signal,
    onOutput: () => limit?.stop(),
    secrets: () => announcer.secrets,
  });
  // With `until: 'end'` it is a re-made response.
  const handedOver = held.response as R & Response;
  if (failure === null) return { response: handedOver, isWhole };
  const { status, headers } = response;
  // Read only when there is something to scrub.
  const { secrets } = announcer;
  const missing = guard.until === 'content' ? 'its first content' : 'the answer was complete';
  const inBand =
    'interrupted' in failure
      ? { verdict: interrupted(status, failure.cause, secrets, `The stream ended before ${missing}`), body: '' }
      : { verdict: readFailure({ status, headers, nowMs: endedAt, secrets }, failure, 'stream'), body: failure.text };
  return { response: handedOver, inBand, isWhole };
}

/** @throws `cause` if a signal ended the body, because then the server did not fail */
export function interrupted(status: number, cause: unknown, secrets: readonly string[], what: string): Verdict {
  const broken = cause === undefined ? undefined : readError(cause, { secrets });
  if (broken?.type === 'aborted') throw cause;
  const words = broken === undefined ? '' : `: ${broken.message}`;
  const failure = makeFailure(
    {
      // Node's own limit on a body.
      type: broken?.code === 'UND_ERR_BODY_TIMEOUT' ? 'timeout' : 'stream_interrupted',
      status,
      code: broken?.code,
      message: `${what}${words}`,
      phase: 'stream',
    },
    secrets,
  );
  return { basis: 'evidence', serverSaid: null, failure };
}
