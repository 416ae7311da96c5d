/** Parses the wait in a rate-limit header or in a field of a body: a duration or a moment, in every known notation. */

import { parseDecimal, readDuration } from './duration.ts';
import { monthOf, parseHttpDate } from './http-date.ts';

/**
 * RFC 3339, section 5.6, also as LiteLLM (`2026-05-31 10:04:41 UTC`), Volcengine (`… +0800 CST`) and WSO2
 * (`2026-Mar-30 05:51:00+0000 UTC`) write it.
 */
const DATE = /^(\d{4})-(\d\d|[a-z]{3})-(\d\d)[ T]([\d:]{8}(?:\.\d+)?) ?(?:Z|UTC|([+-]\d\d):?(\d\d))/i;
/** September 2001, in seconds and in milliseconds. */
const FIRST_EPOCH_SECOND = 1e9;
const FIRST_EPOCH_MILLISECOND = 1e12;
const YEAR_MS = 366 * 86_400_000;

/**
 * The wait in milliseconds that a field names, or null. The text is a duration, a date with an offset from UTC, an HTTP
 * date or a number. A number is a moment where `readNumber` says so. Otherwise it is in milliseconds if the name ends in
 * `ms`, is ignored if it ends in `at`, and is in seconds otherwise. Null also for a negative value and for a moment in the
 * past.
 */
export function parseWait(name: string, text: string, nowMs: number): number | null {
  if (text === '') return null;
  const ms = readNumber(text, /ms$/i.test(name) ? 0 : /at$/i.test(name) ? Number.NaN : 3, nowMs);
  if (ms !== null) return waitUntil(ms, 0);
  const duration = readDuration(text, 0);
  if (duration?.end === text.length) return duration.ms;
  return waitUntil(parseDate(text) || parseHttpDate(text, nowMs), nowMs);
}

/**
 * Digits with their unit as a power of ten: the wait in milliseconds; null for any other text. Some servers send a moment,
 * in seconds or milliseconds since the epoch. As a duration it would be decades, so digits that are a moment within a year
 * of now are that moment. Negative for a moment in the past; with a unit of NaN, NaN for all that is no moment.
 */
export function readNumber(text: string, exponent: number, nowMs: number): number | null {
  const ms = parseDecimal(text, exponent);
  if (ms === null) return null;
  const number = Number(text);
  const untilMs = (number < FIRST_EPOCH_MILLISECOND ? number * 1_000 : number) - nowMs;
  return number >= FIRST_EPOCH_SECOND && Math.abs(untilMs) < YEAR_MS ? untilMs : ms;
}

/** A date that begins the text, in milliseconds since the epoch; NaN if it has no offset, or does not exist. */
function parseDate(text: string): number {
  const [, year, named = '', day, time, hours = '+00', minutes = '00'] = DATE.exec(text) ?? [];
  const month = /\d/.test(named) ? named : String(monthOf(named) + 1).padStart(2, '0');
  // With an offset in this form, every engine parses it the same way.
  return Date.parse(`${year}-${month}-${day}T${time}${hours}:${minutes}`);
}

/** The time until a moment; null if it is in the past or NaN. */
export function waitUntil(momentMs: number, nowMs: number): number | null {
  return momentMs >= nowMs ? momentMs - nowMs : null;
}
