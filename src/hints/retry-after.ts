/**
 * The headers whose only purpose is to name a wait. The grammar is strict: a lenient parser would read `12abc` as 12
 * seconds and an ISO date as 2026 seconds. A value that is not understood is no hint, and the backoff counts.
 */

import type { HeaderReader } from './header-reader.ts';
import { parseHttpDate } from './http-date.ts';
import { readNumber } from './wait.ts';

/**
 * The wait in milliseconds that a `Retry-After` header asks for (RFC 9110, section 10.2.3), or null if there is none.
 * Digits are seconds; a fraction is accepted, because OpenAI and Anthropic send fractions. Digits that are a moment within
 * a year of `nowMs`, in seconds or milliseconds since the epoch, count as that moment. Otherwise the value must be one of
 * the three HTTP dates; a missing zone (GMT), a day of one digit and `UTC` are accepted. Null for a moment in the past, and
 * for a malformed value: `12abc`, `0x10`, `-5`, `1e3`, `.5`. A header that was sent twice has several values: the longest
 * counts, and if one of them is malformed, the result is null. The result is finite, but may be very large.
 *
 * @param nowMs The time from which a date counts, in milliseconds since the epoch. @default Date.now()
 */
export function parseRetryAfterHeader(header: string | null, nowMs: number = systemNow()): number | null {
  if (typeof header !== 'string') return null;
  return longestOf(header, (value) => readNumber(value, 3, nowMs) ?? parseHttpDate(value, nowMs) - nowMs);
}

/** `retry-after-ms` (OpenAI, Azure) or AWS's `x-amz-retry-after`: milliseconds, perhaps with a fraction. */
export function retryAfterMsHint(header: HeaderReader, nowMs: number): number | null {
  const parseMs = (value: string): number | null => readNumber(value, 0, nowMs);
  return longestOf(header('retry-after-ms'), parseMs) ?? longestOf(header('x-amz-retry-after'), parseMs);
}

/** Between values; the comma of a date follows its weekday, the only word in small letters. */
const SEPARATOR = /(?<![a-z]),/;

/** The longest wait in a list; null if one value is malformed, or if all are in the past. */
function longestOf(list: string, parse: (value: string) => number | null): number | null {
  const longestMs = Math.max(...list.split(SEPARATOR).map((value) => parse(value.trim()) ?? Number.NaN));
  return longestMs >= 0 ? longestMs : null;
}

/**
 * The time by the server's clock: its `date` header, so that a wrong local clock does not shift the server's dates. Not
 * used with an `age` header: then a cache sent the response, and `date` is older than the response.
 */
export function serverNow(header: HeaderReader, nowMs: number): number {
  return (header('age') === '' && parseHttpDate(header('date'), nowMs)) || nowMs;
}

/** The local clock, for callers that pass no time. */
export function systemNow(): number {
  // Importing the runtime would add its timers to an entry that does not need them.
  // oxlint-disable-next-line no-restricted-properties
  return Date.now();
}
