/** Parses the wait in a rate-limit header or in a field of a body: a duration or a moment, in every known notation. */

import { parseDecimal, readDuration } from './duration.ts';
import { parseHttpDate } from './http-date.ts';

/** RFC 3339, section 5.6. Because the offset is required, every engine parses it the same way. */
const RFC_3339 = /^[\d-]{10}T[\d:]{8}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** September 2001, in seconds. A smaller number is a duration. */
const FIRST_EPOCH_SECOND = 1e9;
/** 1973 in milliseconds, and the year 5138 in seconds. */
const FIRST_EPOCH_MILLISECOND = 1e11;

/**
 * The wait in milliseconds that a field names, or null. The text is a duration, an RFC 3339 timestamp, an HTTP date or
 * a number. A large number is a moment. A smaller one is in milliseconds if the name ends in `ms`, is ignored if it
 * ends in `at`, and is in seconds otherwise. Null also for a negative value and for a moment in the past.
 */
export function parseWait(name: string, text: string, nowMs: number): number | null {
  const number = parseDecimal(text, 0);
  if (number === null) {
    const duration = readDuration(text, 0);
    if (duration?.end === text.length) return duration.ms;
    return waitUntil(RFC_3339.test(text) ? Date.parse(text) : parseHttpDate(text, nowMs), nowMs);
  }
  if (number >= FIRST_EPOCH_SECOND) return waitUntil(number < FIRST_EPOCH_MILLISECOND ? number * 1_000 : number, nowMs);
  return /at$/i.test(name) ? null : parseDecimal(text, /ms$/i.test(name) ? 0 : 3);
}

/** The time until a moment; null if it is in the past or NaN. */
export function waitUntil(momentMs: number, nowMs: number): number | null {
  return momentMs >= nowMs ? momentMs - nowMs : null;
}
