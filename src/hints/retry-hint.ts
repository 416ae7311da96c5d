/** Finds the wait that the server asks for, in all places where it may be. */

import type { HintSource } from '../failure/failure.ts';
import type { HeadersLike } from '../transport.ts';
import { bodyHint, readBody, readWords, type Words } from './body.ts';
import type { MissingZone } from './clock-time.ts';
import { type HeaderReader, readHeaders } from './header-reader.ts';
import { messageHint } from './message.ts';
import { resetHint } from './reset-headers.ts';
import { parseRetryAfterHeader, retryAfterMsHint, serverNow, systemNow } from './retry-after.ts';

/** A wait that the server asks for, at most 1e15 ms; 0 means "at once". */
export interface Hint {
  readonly ms: number;
  readonly source: HintSource;
}

/** The known parts of a failed response. */
export interface HintEvidence {
  readonly headers?: HeadersLike | undefined;
  /** The text of the body, or its beginning: JSON, SSE, NDJSON or plain text. At most 64 KiB are read. */
  readonly body?: string | undefined;
  /** When the response arrived, in milliseconds since the epoch. @default Date.now() */
  readonly nowMs?: number | undefined;
  /** A reset header without its `remaining` counts only with 429, 503 or no status. */
  readonly status?: number | undefined;
}

/**
 * The wait that a failed response asks for, and its source; null if there is none. The first valid source counts:
 * `retry-after-ms`, `Retry-After`, a field of the body, a sentence in its message, the reset header of an exhausted
 * bucket. Dates count from the `date` header of the response, unless a cache sent it.
 */
export function retryHint({ headers, body, nowMs = systemNow(), status }: HintEvidence): Hint | null {
  return findHint(readHeaders(headers), nowMs, status, () => readWords(readBody(typeof body === 'string' ? body : '')));
}

/** The same for a body that was parsed before. `wordsOf` is called once, and only if no header names a wait. */
export function findHint(
  header: HeaderReader,
  nowMs: number,
  status: number | undefined,
  wordsOf: () => Words | undefined,
): Hint | null {
  const serverMs = serverNow(header, nowMs);
  return (
    hint(retryAfterMsHint(header, serverMs), 'retry-after-ms') ??
    hint(parseRetryAfterHeader(header('retry-after'), serverMs), 'retry-after') ??
    wordedHint(wordsOf(), serverMs) ??
    hint(resetHint(header, serverMs, status), 'reset-header')
  );
}

/** The wait that a body names, in a field or in a sentence. */
export function wordedHint(words: Words | undefined, nowMs: number, missingZone?: MissingZone): Hint | null {
  if (words === undefined) return null;
  return hint(bodyHint(words, nowMs), 'body') ?? hint(messageHint(words.text, nowMs, missingZone), 'message');
}

/** About 30,000 years, so that the moment after any wait is one that a `Date` can hold. */
const LONGEST_MS = 1e15;

function hint(ms: number | null, source: HintSource): Hint | null {
  return ms === null ? null : { ms: Math.min(ms, LONGEST_MS), source };
}
