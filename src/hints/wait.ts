/** What a rate-limit header or a field of a body says about a wait: an amount, or a moment, in any notation seen. */

import { parseDecimal, readDuration } from './duration.ts';
import { parseHttpDate } from './http-date.ts';

/** RFC 3339, section 5.6. With its obligatory offset every engine reads it alike. */
const RFC_3339 = /^[\d-]{10}T[\d:]{8}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** September 2001 in seconds. Whatever is smaller counts from now. */
const FIRST_EPOCH_SECOND = 1e9;
/** 1973 in milliseconds, and the year 5138 in seconds. */
const FIRST_EPOCH_MILLISECOND = 1e11;

/**
 * The wait in milliseconds that a field asks for, or null. Its text is a duration, an RFC 3339 timestamp, an HTTP date,
 * or a number: that is a moment when it is large enough to be one, and else counts milliseconds where the name ends in
 * `ms`, nothing where it ends in `at`, and seconds anywhere else. Null also for what is negative or over.
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

/** What is left until a moment. Null when there is none (NaN), or when it is over. */
export function waitUntil(momentMs: number, nowMs: number): number | null {
  return momentMs >= nowMs ? momentMs - nowMs : null;
}
