/**
 * Some failures have status 200: an error as the first event of a stream, a stream that ends before its first content,
 * a JSON body that is an error. A response that may be one of these is checked before the caller gets it.
 */

import { found, readError, readFailure, type Verdict } from '../classify/index.ts';
import { makeFailure } from '../classify/make-failure.ts';
import { readResponse } from '../classify/classify.ts';
import { concat } from '../body/bytes.ts';
import { isReadableTwice, type Peek, PEEK_BYTES, readStart, WHOLE_BYTES } from '../body/response-body.ts';
import { protocolOf } from '../protocol/event-kinds.ts';
import { isInBandError } from '../protocol/in-band-error.ts';
import type { Framing } from '../protocol/split-events.ts';
import { throwIfAborted } from '../runtime/abort.ts';
import { textOf } from '../runtime/first-bytes.ts';
import { systemRuntime } from '../runtime/runtime.ts';
import { parseJson } from '../runtime/values.ts';
import { holdStream } from './hold.ts';
import { isModelRequest, type SentRequest } from './model-request.ts';
import type { Attempt } from '../loop/face.ts';
import type { HttpCall } from './http-call.ts';
import type { HoldLimits, HttpPolicy } from './http-policy.ts';
import { HTML_TYPE, readPage } from './page.ts';
import { isResponse } from './response-like.ts';
import { StalledStreamError } from './stream-errors.ts';
import type { TransportResponse } from '../transport.ts';

/** What was found: `inBand`, a failure and the text that it was found in; `isWhole`, a stream that was read to its end. */
export interface Found<R> {
  readonly response: R;
  readonly inBand?: { readonly verdict: Verdict; readonly body: string };
  /** Whether the failure is a page in place of an answer. */
  readonly isPage?: boolean;
  readonly isWhole?: boolean;
}

/**
 * Looks for a failure inside a success. `nowMs`: when the response headers came. Rejects with the reason of an abort, or
 * of the time limit of the attempt, and with a `StalledStreamError`.
 */
export type Look<R> = (face: HttpCall, nowMs: number, attempt: Attempt<R>) => Promise<Found<R>>;

/**
 * How a success has to be checked for a failure inside it, or watched; also if that depends on words that were not read.
 * null: not at all. Called for every success.
 */
export function lookFor<R>(policy: HttpPolicy, request: SentRequest, response: R): Look<R> | null {
  const { guard, holdJson, watch } = policy;
  if ((guard === null && holdJson === false && watch === null) || !isResponse(response)) return null;
  // Only the answer to a POST is held, or is that of a model.
  if (watch?.coversAll !== true && request.method !== 'POST') return null;
  // Reading a member of a response is slow, so each is read once.
  const { headers } = response;
  // The headers of a custom transport may be a Map, which returns undefined.
  const contentType: unknown = typeof headers?.get === 'function' ? headers.get('content-type') : undefined;
  if (typeof contentType !== 'string') return null;
  // Plain JSON first, because it is the most frequent type, and cheaper to recognise than a stream.
  if (!isPlainJson(contentType) && !JSON_TYPE.test(contentType)) return lookAs(contentType, policy, request, response);
  const isHeld =
    holdJson !== false &&
    (holdJson === true || isModelRequest(request) !== false) &&
    isAnswer(request, response) &&
    !(Number(headers?.get('content-length')) > WHOLE_BYTES) &&
    isReadableTwice(response);
  return isHeld ? lookIntoBody(response) : null;
}

/** The same for a body that is no JSON. A function of its own, because a success with JSON has to be fast. */
function lookAs<R extends Response | TransportResponse>(
  contentType: string,
  { guard, watch, looks }: HttpPolicy,
  request: SentRequest,
  response: R,
): Look<R> | null {
  const mayBeOfModel = (): boolean => isModelRequest(request) !== false;
  const framing = protocolOf(contentType);
  if (framing === null) {
    const isPage = looks && HTML_TYPE.test(contentType) && mayBeOfModel() && isAnswer(request, response);
    return isPage && isReadableTwice(response) ? lookIntoPage(response) : null;
  }
  const isHeld = guard !== null && isAnswer(request, response);
  const isLookedAt = isHeld || (watch !== null && (watch.coversAll || mayBeOfModel()));
  if (!isLookedAt || !isReadableTwice(response)) return null;
  return isHeld ? lookIntoStream(response, framing, guard) : async () => ({ response });
}

/** Whether a body may be held. */
function isAnswer({ method }: SentRequest, { status }: { readonly status?: unknown }): boolean {
  return method === 'POST' && status === 200;
}

const isPlainJson = (contentType: string): boolean =>
  contentType === 'application/json' || contentType.startsWith('application/json;');

const JSON_TYPE = /^\s*application\/(?:(?!stream\+)[\w.-]+\+)?json\s*(?:;|$)/i;

const lookIntoPage =
  <R>(response: R & Response): Look<R> =>
  async (face, _nowMs, attempt) => {
    if (isModelRequest(face) !== true) return { response };
    const signal = attempt.signal ?? face.signal;
    const failure = await readPage(response, signal, face.policy.maxJsonHoldMs, () => face.secrets);
    throwIfAborted(signal);
    if (failure === null) return { response };
    return { response, inBand: { verdict: found(failure), body: failure.message }, isPage: true };
  };

const lookIntoBody =
  <R>(response: R & Response): Look<R> =>
  async (face, nowMs, attempt) => {
    const signal = attempt.signal ?? face.signal;
    const { body, drained, broken } = await readJson(face, response, signal, attempt);
    throwIfAborted(signal);
    const { status, headers } = response;
    const text = drained ? (textOf(body) ?? '') : '';
    // Parsed once, because that takes the most time.
    const value = parseJson(text);
    // A model always says something, and JSON is never empty.
    const isEmpty = drained && text.trim() === '' && isModelRequest(face) === true;
    if (broken !== undefined || isEmpty || (value === undefined && isCutJson(text))) {
      const verdict = interrupted(status, broken?.cause, face.secrets, 'The body ended before it was complete');
      return { response, inBand: { verdict, body: '' } };
    }
    if (text.length > PEEK_BYTES || (value !== undefined && !isInBandError(value))) return { response };
    const verdict = readResponse({ status, headers, body, nowMs, secrets: face.secrets });
    return verdict === null ? { response } : { response, inBand: { verdict, body: text } };
  };

/**
 * Reads a body that is held. When its time is over it is handed over, but for an object that has begun: what reads it
 * needs its end, and could only wait too.
 *
 * @throws a `StalledStreamError` if the rest of an object does not come
 */
async function readJson(
  { policy: { maxJsonHoldMs, maxJsonSilenceMs }, holdBudget }: HttpCall,
  response: Response,
  signal: AbortSignal | undefined,
  attempt: Attempt,
): Promise<Peek> {
  let lastAtMs = systemRuntime.monotonic();
  let leftMs = maxJsonHoldMs;
  let lookMs = Math.min(leftMs, maxJsonSilenceMs);
  let isSilent = false;
  const arrive = (chunk: Uint8Array): boolean => {
    attempt.arrived();
    lastAtMs = systemRuntime.monotonic();
    return holdBudget?.take(chunk.byteLength) === false;
  };
  const moreMs = (chunks: readonly Uint8Array[]): number => {
    leftMs -= lookMs;
    const isObject = hasBegunObject(textOf(concat(chunks, WHOLE_BYTES)) ?? '');
    lookMs = isObject ? lastAtMs + maxJsonSilenceMs - systemRuntime.monotonic() : Math.min(leftMs, maxJsonSilenceMs);
    isSilent = isObject && lookMs <= 0;
    return lookMs;
  };
  const peek = await readStart(response, signal, WHOLE_BYTES, lookMs, { arrive, moreMs });
  if (isSilent && !peek.drained) throw new StalledStreamError('bytes', maxJsonSilenceMs, { lastEvent: null });
  return peek;
}

/** Whether a text is a JSON object without its end, and not lines of JSON. */
function hasBegunObject(text: string): boolean {
  const [line = ''] = text.trimStart().split('\n', 1);
  return line.startsWith('{') && parseJson(line) === undefined && isCutJson(text);
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

const lookIntoStream =
  <R>(response: R & Response, framing: Framing, guard: HoldLimits): Look<R> =>
  async (face, nowMs, attempt) => {
    const { failure, isWhole, ...held } = await holdStream(face, response, framing, guard, attempt);
    // With `until: 'end'` it is a re-made response.
    const handedOver = held.response as R & Response;
    if (failure === null) return { response: handedOver, isWhole };
    const { status, headers } = response;
    // Read only when there is something to scrub.
    const { secrets } = face;
    const missing = guard.until === 'content' ? 'its first content' : 'the answer was complete';
    const inBand =
      'interrupted' in failure
        ? { verdict: interrupted(status, failure.cause, secrets, `The stream ended before ${missing}`), body: '' }
        : { verdict: readFailure({ status, headers, nowMs, secrets }, failure, 'stream'), body: failure.text };
    return { response: handedOver, inBand, isWhole };
  };

/** @throws `cause` if a signal ended the body, because then the server did not fail */
export function interrupted(status: number, cause: unknown, secrets: readonly string[], what: string): Verdict {
  const broken = cause === undefined ? undefined : readError(cause, { secrets });
  if (broken?.type === 'aborted') throw cause;
  const words = broken === undefined ? '' : `: ${broken.message}`;
  // Node's own limit on a body.
  const type = broken?.code === 'UND_ERR_BODY_TIMEOUT' ? 'timeout' : 'stream_interrupted';
  const message = `${what}${words}`;
  return found(makeFailure({ type, status, code: broken?.code, message, phase: 'stream' }, secrets));
}
