/**
 * The headers whose only purpose is to name a wait. The grammar is strict, because a lenient reader turns `12abc` into
 * twelve seconds and an ISO date into 2026 of them; what is not understood is no hint, and the backoff decides.
 */

import { parseDecimal } from './duration.ts';
import type { HeaderReader } from './header-reader.ts';
import { parseHttpDate } from './http-date.ts';
import { waitUntil } from './wait.ts';

/**
 * The wait in milliseconds that a `Retry-After` header asks for (RFC 9110, section 10.2.3), or null when it asks for
 * none. Digits count seconds; a fraction is accepted because OpenAI and Anthropic send one. Otherwise it is one of the
 * three HTTP dates, a missing zone being GMT. Null for a past date and for anything malformed: `12abc`, `0x10`, `-5`,
 * `1e3`, `.5`, `1, 1`. A number of any size is finite: "too long" is for the caller to say.
 *
 * @param nowMs The moment from which a date counts, in milliseconds since the epoch. @default Date.now()
 */
export function parseRetryAfterHeader(header: string | null, nowMs: number = systemNow()): number | null {
  if (typeof header !== 'string') return null;
  const text = header.trim();
  return parseDecimal(text, 3) ?? waitUntil(parseHttpDate(text, nowMs), nowMs);
}

/** `retry-after-ms` (OpenAI, Azure) or AWS's `x-amz-retry-after`: milliseconds, perhaps with a fraction. */
export function retryAfterMsHint(header: HeaderReader): number | null {
  return parseDecimal(header('retry-after-ms'), 0) ?? parseDecimal(header('x-amz-retry-after'), 0);
}

/**
 * What the server takes for now: its `date` header, so that a wrong clock here does not shift a date from there. Not
 * where `age` says that a cache sent the response, because `date` is then older than the answer.
 */
export function serverNow(header: HeaderReader, nowMs: number): number {
  return (header('age') === '' && parseHttpDate(header('date'), nowMs)) || nowMs;
}

/** The clock of the machine, for callers that hand in no time. */
export function systemNow(): number {
  // The runtime would bring its timers into an entry that has no other need of it.
  // oxlint-disable-next-line no-restricted-properties
  return Date.now();
}
