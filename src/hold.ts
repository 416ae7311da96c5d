/**
 * Some failures come under a 200: as the first event of a stream, as a stream that ends before it began, as a JSON body
 * that is an error. A success that may be one of these is looked into before it is handed on.
 */

import { readResponse, readStreamError, type Verdict } from './classify/index.ts';
import { isResponse, type Settled } from './exchange.ts';
import type { Policy } from './policy.ts';
import { PEEK_BYTES, type Peek, peekBody } from './response-body.ts';
import { holdStream } from './stream/guard.ts';
import { protocolOf } from './stream/protocol.ts';

/** A failure that was found inside a success, and the words it was found in. */
export interface InBandFailure {
  readonly verdict: Verdict;
  readonly body: string;
}

/** Whether a successful response has to be looked into before it may be handed on. Asked of every success. */
export function needsHold(policy: Policy, method: string, response: unknown): response is Response {
  if ((policy.guard === null && !policy.guardJson) || method !== 'POST' || !hasHeaders(response)) return false;
  const contentType = response.headers.get('content-type');
  if (contentType === null) return false;
  // Asked first because it is the common answer, and cheaper to tell than a stream.
  if (contentType.startsWith('application/json')) {
    return policy.guardJson && !(Number(response.headers.get('content-length')) > PEEK_BYTES) && isUnread(response);
  }
  return policy.guard !== null && protocolOf(contentType) !== null && isUnread(response);
}

function hasHeaders(response: unknown): response is Response {
  return isResponse(response) && typeof response.headers?.get === 'function';
}

const isUnread = ({ body, bodyUsed }: Response): boolean => Boolean(body) && !bodyUsed;

/** Looks into a success. null: it is one. Rejects with the signal's reason when that aborts first. */
export async function lookInside(
  response: Response,
  policy: Policy,
  signal: AbortSignal | undefined,
  nowMs: number,
  secrets: readonly string[],
): Promise<InBandFailure | null> {
  const { status, headers } = response;
  if (protocolOf(headers.get('content-type')) === null || policy.guard === null) {
    const { body, drained } = await peekBody(response, signal);
    signal?.throwIfAborted();
    const verdict = drained && body !== undefined ? readResponse({ status, headers, body, nowMs, secrets }) : null;
    return verdict === null
      ? null
      : { verdict, body: typeof body === 'string' ? body : new TextDecoder().decode(body) };
  }
  const held = await holdStream(response, policy.guard, signal);
  if (held === null) return null;
  if ('interrupted' in held) return { verdict: interrupted(status, held.cause), body: '' };
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

function interrupted(status: number, cause: unknown): Verdict {
  const words = cause instanceof Error ? `: ${cause.message}` : '';
  return {
    basis: 'evidence',
    serverSaid: null,
    failure: Object.freeze({
      type: 'stream_interrupted',
      retryable: true,
      category: 'retryable',
      status,
      message: `The stream ended before its first content${words}`,
      phase: 'stream',
    }),
  };
}
