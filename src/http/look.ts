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
import type { HttpPolicy } from './http-policy.ts';
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
 * Whether a success has to be checked for a failure inside it, or watched; also if that depends on words that were not
 * read. Called for every success.
 */
export function needsLook(policy: HttpPolicy, request: SentRequest, response: unknown): response is Response {
  const { guard, holdJson, watch } = policy;
  if ((guard === null && holdJson === false && watch === null) || !isResponse(response)) return false;
  // Only the answer to a POST is held, or is that of a model.
  if (watch?.coversAll !== true && request.method !== 'POST') return false;
  // Reading a member of a response is slow, so each is read once.
  const { headers } = response;
  // The headers of a custom transport may be a Map, which returns undefined.
  const contentType: unknown = typeof headers?.get === 'function' ? headers.get('content-type') : undefined;
  if (typeof contentType !== 'string') return false;
  // Plain JSON first, because it is the most frequent type, and cheaper to recognise than a stream.
  if (!isPlainJson(contentType) && !JSON_TYPE.test(contentType))
    return needsLookAs(contentType, policy, request, response) && isReadableTwice(response);
  return (
    holdJson !== false &&
    (holdJson === true || isModelRequest(request) !== false) &&
    isAnswer(request, response) &&
    !(Number(headers?.get('content-length')) > WHOLE_BYTES) &&
    isReadableTwice(response)
  );
}

/** The same for a body that is no JSON. A function of its own, because a success with JSON has to be fast. */
function needsLookAs(
  contentType: string,
  { guard, watch, looks }: HttpPolicy,
  request: SentRequest,
  response: Response | TransportResponse,
): boolean {
  const mayBeOfModel = (): boolean => isModelRequest(request) !== false;
  if (protocolOf(contentType) === null)
    return looks && HTML_TYPE.test(contentType) && mayBeOfModel() && isAnswer(request, response);
  if (guard !== null && isAnswer(request, response)) return true;
  return watch !== null && (watch.coversAll || mayBeOfModel());
}

/** Whether a body may be held. */
function isAnswer({ method }: SentRequest, { status }: { readonly status?: unknown }): boolean {
  return method === 'POST' && status === 200;
}

const isPlainJson = (contentType: string): boolean =>
  contentType === 'application/json' || contentType.startsWith('application/json;');

const JSON_TYPE = /^\s*application\/(?:(?!stream\+)[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Looks for a failure inside a success.
 *
 * @param nowMs when the response headers came
 * @throws the reason of an abort, or of the time limit of the attempt; a `StalledStreamError`
 */
export async function lookInside<R>(
  face: HttpCall,
  response: R & Response,
  nowMs: number,
  attempt: Attempt<R>,
): Promise<Found<R>> {
  const contentType = response.headers.get('content-type') ?? '';
  const framing = protocolOf(contentType);
  if (framing === null && HTML_TYPE.test(contentType)) return lookIntoPage(face, response, attempt);
  const { holdBudget } = face;
  const hold: Hold = (bytes) => holdBudget?.take(bytes) !== false;
  let isHandedOver = false;
  try {
    const seen =
      framing === null
        ? await lookIntoBody(face, response, nowMs, attempt, hold)
        : await lookIntoStream(face, response, nowMs, attempt, hold, framing);
    isHandedOver = seen.inBand === undefined;
    return seen;
  } finally {
    if (!isHandedOver) holdBudget?.giveBack();
  }
}

async function lookIntoPage<R>(face: HttpCall, response: R & Response, attempt: Attempt<R>): Promise<Found<R>> {
  if (isModelRequest(face) !== true) return { response };
  const signal = attempt.signal ?? face.signal;
  const failure = await readPage(response, signal, face.policy.maxJsonHoldMs, () => face.secrets);
  throwIfAborted(signal);
  if (failure === null) return { response };
  return { response, inBand: { verdict: found(failure), body: failure.message }, isPage: true };
}

/** Whether there is room for so many bytes more. */
type Hold = (bytes: number) => boolean;

async function lookIntoBody<R>(
  face: HttpCall,
  response: R & Response,
  nowMs: number,
  attempt: Attempt<R>,
  hold: Hold,
): Promise<Found<R>> {
  const signal = attempt.signal ?? face.signal;
  const { body, drained, broken } = await readJson(response, signal, face.policy, attempt, hold);
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
}

/**
 * Reads a body that is held. When its time is over it is handed over, but for an object that has begun: what reads it
 * needs its end, and could only wait too.
 *
 * @throws a `StalledStreamError` if the rest of an object does not come
 */
async function readJson(
  response: Response,
  signal: AbortSignal | undefined,
  { maxJsonHoldMs, maxJsonSilenceMs }: HttpPolicy,
  attempt: Attempt,
  hold: Hold,
): Promise<Peek> {
  let lastAtMs = systemRuntime.monotonic();
  let leftMs = maxJsonHoldMs;
  let lookMs = Math.min(leftMs, maxJsonSilenceMs);
  let isSilent = false;
  /** How many chunks there were at the last look at an object. */
  let seen = -1;
  const arrive = (chunk: Uint8Array): boolean => {
    attempt.arrived();
    lastAtMs = systemRuntime.monotonic();
    return !hold(chunk.byteLength);
  };
  const moreMs = (chunks: readonly Uint8Array[]): number => {
    leftMs -= lookMs;
    if (!hasBegunObject(textOf(concat(chunks, WHOLE_BYTES)) ?? ''))
      return (lookMs = Math.min(leftMs, maxJsonSilenceMs));
    isSilent = chunks.length === seen;
    seen = chunks.length;
    lookMs = Math.max(1, maxJsonSilenceMs + lastAtMs - systemRuntime.monotonic());
    return isSilent ? 0 : lookMs;
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

async function lookIntoStream<R>(
  face: HttpCall,
  response: R & Response,
  nowMs: number,
  attempt: Attempt<R>,
  hold: Hold,
  framing: Framing,
): Promise<Found<R>> {
  const { guard } = face.policy;
  if (guard === null || !isAnswer(face, response)) return { response };
  const { failure, isWhole, ...held } = await holdStream(response, framing, guard, {
    isModelRequest: () => isModelRequest(face) === true,
    signal: attempt.signal ?? face.signal,
    onOutput: () => attempt.begun(),
    onBytes: () => attempt.arrived(),
    hold,
    secrets: () => face.secrets,
  });
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
}

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
