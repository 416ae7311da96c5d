/** Which wait the server asked for, of all the places in which it may have said so. */

import type { HintSource } from '../failure/failure.ts';
import type { HeadersLike } from '../transport.ts';
import { bodyHint, readBody, readWords, type Words } from './body.ts';
import { type HeaderReader, readHeaders } from './header-reader.ts';
import { messageHint } from './message.ts';
import { resetHint } from './reset-headers.ts';
import { parseRetryAfterHeader, retryAfterMsHint, serverNow, systemNow } from './retry-after.ts';

/** A wait that the server asked for: finite, and 0 for "at once". */
export interface Hint {
  readonly ms: number;
  readonly source: HintSource;
}

/** As much of a failed response as there is. */
export interface HintEvidence {
  readonly headers?: HeadersLike | undefined;
  /** Text of the body, or of its beginning: JSON, SSE, NDJSON or plain. No more than 64 KiB of it is looked at. */
  readonly body?: string | undefined;
  /** When the response came, in milliseconds since the epoch. @default Date.now() */
  readonly nowMs?: number | undefined;
  /** A reset header without its `remaining` is believed on 429 and 503 only, or where the status is not given. */
  readonly status?: number | undefined;
}

/**
 * The wait that a failed response asks for, and where it does; null when it asks for none. The strongest source that can
 * be understood wins: `retry-after-ms`, `Retry-After`, a field of the body, a sentence of its message, the reset header
 * of an exhausted bucket. Moments count from the response's `date` header where it has one and no cache sent it.
 */
export function retryHint({ headers, body, nowMs = systemNow(), status }: HintEvidence): Hint | null {
  return findHint(readHeaders(headers), nowMs, status, () => readWords(readBody(typeof body === 'string' ? body : '')));
}

/**
 * The same for a body that has been read already. `wordsOf` is called once, and only if no header names a wait by
 * itself; `waits` names the fields of a body that do, strongest first.
 */
export function findHint(
  header: HeaderReader,
  nowMs: number,
  status: number | undefined,
  wordsOf: () => Words | undefined,
  waits?: Iterable<string>,
): Hint | null {
  const inMs = hint(retryAfterMsHint(header), 'retry-after-ms');
  if (inMs !== null) return inMs;
  const serverMs = serverNow(header, nowMs);
  const named = hint(parseRetryAfterHeader(header('retry-after'), serverMs), 'retry-after');
  if (named !== null) return named;
  return wordedHint(wordsOf(), serverMs, waits) ?? hint(resetHint(header, serverMs, status), 'reset-header');
}

/** The wait that a body names, in a field or in a sentence. */
export function wordedHint(words: Words | undefined, nowMs: number, waits?: Iterable<string>): Hint | null {
  if (words === undefined) return null;
  return hint(bodyHint(words, nowMs, waits), 'body') ?? hint(messageHint(words.text, nowMs), 'message');
}

function hint(ms: number | null, source: HintSource): Hint | null {
  return ms === null ? null : { ms, source };
}
