/**
 * The headers whose only purpose is to name a wait. The grammar is strict, because a lenient reader turns `12abc` into
 * twelve seconds and an ISO date into 2026 of them; what is not understood is no hint, and the backoff decides.
 */

import { parseDecimal } from './duration.ts';
import type { HeaderReader } from './header-reader.ts';
import { parseHttpDate } from './http-date.ts';

/**
 * The wait in milliseconds that a `Retry-After` header asks for (RFC 9110, section 10.2.3), or null when it asks for
 * none. Digits count seconds; a fraction is accepted because OpenAI and Anthropic send one. Otherwise it is one of the
 * three HTTP dates, a missing zone being GMT; a day of one digit and `UTC` are accepted. Null for a past date and for
 * anything malformed: `12abc`, `0x10`, `-5`, `1e3`, `.5`. Of several values, as a header that was sent twice has them,
 * the longest is meant; one that is malformed makes the whole header so. A number of any size is finite: "too long" is
 * for the caller to say.
 *
 * @param nowMs The moment from which a date counts, in milliseconds since the epoch. @default Date.now()
 */
export function parseRetryAfterHeader(header: string | null, nowMs: number = systemNow()): number | null {
  if (typeof header !== 'string' || header.length > MAX_HEADER) return null;
  return longestOf(header, (value) => parseDecimal(value, 3) ?? parseHttpDate(value, nowMs) - nowMs);
}

/** `retry-after-ms` (OpenAI, Azure) or AWS's `x-amz-retry-after`: milliseconds, perhaps with a fraction. */
export function retryAfterMsHint(header: HeaderReader): number | null {
  return longestOf(header('retry-after-ms'), parseMs) ?? longestOf(header('x-amz-retry-after'), parseMs);
}

const parseMs = (value: string): number => parseDecimal(value, 0) ?? Number.NaN;

/** No clock and no list of clocks is longer. */
const MAX_HEADER = 4_096;
/** Between values; the comma of a date follows a weekday. */
const SEPARATOR = /(?<!day|Mon|Tue|Wed|Thu|Fri|Sat|Sun),/;

/** The longest wait in a list; null for a list with anything in it that is no wait, and for one that is over. */
function longestOf(list: string, parse: (value: string) => number): number | null {
  const longestMs = list
    .split(SEPARATOR)
    .map((value) => parse(value.trim()))
    .reduce((one, other) => Math.max(one, other));
  return longestMs >= 0 ? longestMs : null;
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
