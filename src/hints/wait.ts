/** Parses the wait in a rate-limit header or in a field of a body: a duration or a moment, in every known notation. */

import { parseDecimal, readDuration } from './duration.ts';
import { parseHttpDate } from './http-date.ts';

/** RFC 3339, section 5.6, also as LiteLLM (`2026-05-31 10:04:41 UTC`) and Volcengine (`… +0800 CST`) write it. */
const DATE = /^([\d-]{10})[ T]([\d:]{8}(?:\.\d+)?) ?(?:Z|UTC|([+-]\d\d):?(\d\d))/i;
/** September 2001, in seconds. A smaller number is a duration. */
const FIRST_EPOCH_SECOND = 1e9;
/** 1973 in milliseconds, and the year 5138 in seconds. */
const FIRST_EPOCH_MILLISECOND = 1e11;

/**
 * The wait in milliseconds that a field names, or null. The text is a duration, a date with an offset from UTC, an HTTP
 * date or a number. A large number is a moment. A smaller one is in milliseconds if the name ends in `ms`, is ignored if
 * it ends in `at`, and is in seconds otherwise. Null also for a negative value and for a moment in the past.
 */
export function parseWait(name: string, text: string, nowMs: number): number | null {
  const number = parseDecimal(text, 0);
  if (number === null) {
    const duration = readDuration(text, 0);
    if (duration?.end === text.length) return duration.ms;
    return waitUntil(parseDate(text) || parseHttpDate(text, nowMs), nowMs);
  }
  if (number >= FIRST_EPOCH_SECOND) return waitUntil(number < FIRST_EPOCH_MILLISECOND ? number * 1_000 : number, nowMs);
  return /at$/i.test(name) ? null : parseDecimal(text, /ms$/i.test(name) ? 0 : 3);
}

/** A date that begins the text, in milliseconds since the epoch; NaN if it has no offset, or does not exist. */
function parseDate(text: string): number {
  // With an offset in this form, every engine parses it the same way.
  const [, day, time, hours = '+00', minutes = '00'] = DATE.exec(text) ?? [];
  return Date.parse(`${day}T${time}${hours}:${minutes}`);
}

/** The time until a moment; null if it is in the past or NaN. */
export function waitUntil(momentMs: number, nowMs: number): number | null {
  return momentMs >= nowMs ? momentMs - nowMs : null;
}
