/**
 * The guard holds a streamed response until its first content. Up to that moment a failure can be retried without
 * output that comes twice. LLM servers answer 200 and then send "overloaded" as the first event, or close the
 * connection after the headers; SDKs report that as an answer that broke.
 *
 * The guard reads a clone. At the first content the caller gets the original, the same object with every byte, and
 * nothing of ours remains between the two. In doubt it releases the stream early: after a limited time, a limited
 * number of bytes, or an unknown event.
 */

import { throwIfAborted } from '../runtime/abort.ts';
import { type ErrorContent, protocolOf, StreamReader } from '../protocol/event-kinds.ts';
import { readClone } from '../fetch/response-body.ts';

/** The limits for holding a stream. */
export interface HoldLimits {
  /** From the response headers. */
  readonly maxHoldMs: number;
  readonly maxHoldBytes: number;
}

/** A stream that failed before its first content. `interrupted`: it ended, or broke with `cause`. */
export type HeldFailure = ErrorContent | { readonly interrupted: true; readonly cause: unknown };

/**
 * Reads until the stream has content or has failed. null: the caller gets the stream. Rejects with the signal's reason
 * if the signal aborts first.
 */
export async function holdStream(
  response: Response,
  limits: HoldLimits,
  signal: AbortSignal | undefined,
): Promise<HeldFailure | null> {
  throwIfAborted(signal);
  const framing = protocolOf(response.headers.get('content-type'));
  if (framing === null) return null;
  const events = new StreamReader(framing);
  let answer: ReturnType<StreamReader['feed' | 'end']> = 'hold';
  const end = await readClone(response, signal, limits.maxHoldBytes, limits.maxHoldMs, (chunk) => {
    answer = events.feed(chunk);
    return answer !== 'hold';
  });
  throwIfAborted(signal);
  if (end === null) return null;
  if (typeof end === 'object') return { interrupted: true, cause: end.cause };
  if (end === 'end') answer = events.end();
  if (answer === 'interrupted') return { interrupted: true, cause: undefined };
  return typeof answer === 'object' ? answer : null;
}
