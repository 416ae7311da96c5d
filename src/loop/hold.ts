/**
 * Some failures come under a 200: as the first event of a stream, as a stream that ends before it began, as a JSON body
 * that is an error. A success that may be one of these is looked into before it is handed on.
 */

import { readError, type Verdict } from '../classify/index.ts';
import { readResponse, readStreamError } from '../stream/classify.ts';
import { textOf } from '../failure/first-bytes.ts';
import { makeFailure } from '../classify/make-failure.ts';
import { isResponse, type Settled } from './exchange.ts';
import type { Policy } from '../policy/policy.ts';
import { isReadableTwice, PEEK_BYTES, type Peek, peekBody } from '../stream/response-body.ts';
import { holdStream } from '../stream/guard.ts';
import { protocolOf } from '../stream/protocol.ts';

/** A failure that was found inside a success, and the words it was found in. */
export interface InBandFailure {
  readonly verdict: Verdict;
  readonly body: string;
}

/** Whether a successful response has to be looked into before it may be handed on. Asked of every success. */
export function needsHold(policy: Policy, method: string, response: unknown): response is Response {
  if ((policy.guard === null && !policy.guardJson) || method !== 'POST' || !isResponse(response)) return false;
  // Each look at a member of a response costs, so each is taken once.
  const { headers } = response;
  const contentType = typeof headers?.get === 'function' ? headers.get('content-type') : null;
  // Asked first because it is the common answer, and cheaper to tell than a stream.
  if (contentType === null || (!policy.guardJson && isPlainJson(contentType))) return false;
  const mayFail =
    protocolOf(contentType) === null ? policy.guardJson && isSmallJson(contentType, headers) : policy.guard !== null;
  return mayFail && response.status === 200 && isReadableTwice(response);
}

/** Whether a response that has to be looked into is a stream. */
export function isStreamed(response: Response): boolean {
  return protocolOf(response.headers.get('content-type')) !== null;
}

const isPlainJson = (contentType: string): boolean =>
  contentType === 'application/json' || contentType.startsWith('application/json;');

const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

function isSmallJson(contentType: string, headers: Headers | undefined): boolean {
  return JSON_TYPE.test(contentType) && !(Number(headers?.get('content-length')) > PEEK_BYTES);
}

/**
 * Looks into a success. null: it is one. Rejects with the signal's reason when that aborts first, and with what ended
 * the stream when that was an abort of somebody else's.
 */
export async function lookInside(
  response: Response,
  policy: Policy,
  signal: AbortSignal | undefined,
  nowMs: number,
  announcer: { readonly secrets: readonly string[] },
): Promise<InBandFailure | null> {
  const { status, headers } = response;
  if (!isStreamed(response) || policy.guard === null) {
    const { body, drained } = await peekBody(response, signal);
    signal?.throwIfAborted();
    const { secrets } = announcer;
    const verdict = drained ? readResponse({ status, headers, body, nowMs, secrets }) : null;
    return verdict === null ? null : { verdict, body: textOf(body) ?? '' };
  }
  const held = await holdStream(response, policy.guard, signal);
  if (held === null) return null;
  // Not asked for before there is something to scrub.
  const { secrets } = announcer;
  if ('interrupted' in held) return { verdict: interrupted(status, held.cause, secrets), body: '' };
  return { verdict: readStreamError(held, { status, headers, nowMs, secrets }), body: held.text };
}

/** A look at what a failed attempt gave. What was found inside a success was read already; its rest is on the wire. */
export function peekSettled(
  settled: Settled<unknown>,
  signal: AbortSignal | undefined,
): Peek | undefined | Promise<Peek> {
  if ('error' in settled || !isResponse(settled.response)) return undefined;
  return settled.inBand === undefined
    ? peekBody(settled.response, signal)
    : { body: settled.inBand.body, drained: false };
}

/** @throws `cause` where somebody's signal ended the stream: that is no failure of the server */
function interrupted(status: number, cause: unknown, secrets: readonly string[]): Verdict {
  const broken = cause === undefined ? undefined : readError(cause, secrets);
  if (broken?.type === 'aborted') throw cause;
  const words = broken === undefined ? '' : `: ${broken.message}`;
  const failure = makeFailure(
    {
      type: 'stream_interrupted',
      status,
      code: broken?.code,
      message: `The stream ended before its first content${words}`,
      phase: 'stream',
    },
    secrets,
  );
  return { basis: 'evidence', serverSaid: null, failure };
}
