/**
 * Some failures have status 200: an error as the first event of a stream, a stream that ends before its first content,
 * a JSON body that is an error. A response that may be one of these is checked before the caller gets it.
 */

import { readError, readFailure, type Verdict } from '../classify/index.ts';
import type { Announcer } from '../events/announcer.ts';
import { makeFailure } from '../classify/make-failure.ts';
import { textOf } from '../runtime/first-bytes.ts';
import { parseJson } from '../runtime/values.ts';
import type { Policy } from '../options/policy.ts';
import { readResponse } from '../classify/classify.ts';
import { holdStream } from '../stream/guard.ts';
import { protocolOf } from '../protocol/event-kinds.ts';
import { discard, isReadableTwice, PEEK_BYTES, readStart, WHOLE_BYTES } from '../fetch/response-body.ts';
import { throwIfAborted } from '../runtime/abort.ts';
import type { AttemptOutcome, InBandFailure } from './exchange.ts';
import { isResponse } from './judge.ts';

/** The time limit of one attempt. */
export interface TimeLimit {
  /** Aborts with the caller's signal too. */
  readonly signal: AbortSignal | undefined;
  readonly clear: () => void;
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

/**
 * Looks for a failure inside a success.
 *
 * @param endedAt when the response headers came
 * @param given the caller's signal
 */
export async function lookInside<R>(
  policy: Policy,
  announcer: Announcer,
  response: R & Response,
  endedAt: number,
  given: AbortSignal | undefined,
  limit: TimeLimit | undefined,
): Promise<AttemptOutcome<R>> {
  const isStream = protocolOf(response.headers.get('content-type')) !== null;
  const signal = limit?.signal ?? given;
  // The time limit ends at the headers, except for a stream that is held.
  if (!isStream) limit?.clear();
  const lookInto = isStream ? lookIntoStream : lookIntoBody;
  try {
    const inBand = await lookInto(policy, announcer, response, endedAt, signal);
    return inBand === null ? { response } : { response, inBand };
  } catch (error) {
    discard(response);
    return { error };
  }
}

async function lookIntoBody(
  policy: Policy,
  announcer: Announcer,
  response: Response,
  endedAt: number,
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
  policy: Policy,
  announcer: Announcer,
  response: Response,
  endedAt: number,
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
