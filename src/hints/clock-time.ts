/**
 * The moments at which quotas of subscriptions renew: "resets 8pm (America/New_York)", "resets Sep 30, 4pm (Asia/Tokyo)",
 * "Resets at 10:00 UTC", "try again at Dec 23rd, 2026 3:10 PM".
 */

import { monthOf } from './http-date.ts';
import { waitUntil } from './wait.ts';

const CLOCK_TIME =
  /\b(?:resets?(?: (?:on|at))?|again (?:on|at)) (?:([a-z]{3})[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?,? (?:(20\d\d),? )?(?:at )?)?(\d{1,2})(?::(\d\d)(?::\d\d)?)?\s?([ap]m\b)?(?:\s?\(?(UTC|GMT|[a-z]{2,16}\/[\w/+-]{2,40}))?/i;
/** Most texts have neither, and the other pattern is slow to compile. */
const MAY_NAME = /resets? |again (?:on|at) /i;
/** What was days ago is not a year ahead, but in December a quota renews in January. */
const FARTHEST_MS = 5e9;

/**
 * Whose clock a time without a zone is by. `local`: that of this machine, for a text that a program on it has printed.
 * `unknown`: a server's, so that the time is no moment.
 */
export type MissingZone = 'local' | 'unknown';

/** The time until the next such moment; null if the text names none. */
export function clockTimeHint(text: string, nowMs: number, missingZone: MissingZone = 'unknown'): number | null {
  if (!MAY_NAME.test(text)) return null;
  const [found, named = '', day, shownYear, hours, minutes, half, zone] = CLOCK_TIME.exec(text) ?? [];
  if (found === undefined || (zone === undefined && missingZone === 'unknown')) return null;
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  const behindMs = behindUtc(nowMs, zone);
  // "resets 3 UTC" is no time.
  if (!(half ? hour <= 12 : minutes && hour <= 23) || minute > 59 || behindMs === null) return null;
  const today = new Date(nowMs - behindMs);
  const waitFor = (year: number, month: number, date: number): number | null => {
    const there = Date.UTC(year, month, date, half ? (hour % 12) + (/p/i.test(half) ? 12 : 0) : hour, minute);
    // Summer time may begin or end until then.
    return waitUntil(there + (behindUtc(there + behindMs, zone) ?? behindMs), nowMs);
  };
  const year = Number(shownYear ?? today.getUTCFullYear());
  const [month, date] = day === undefined ? [today.getUTCMonth(), today.getUTCDate()] : [monthOf(named), Number(day)];
  if (month % 1 !== 0) return null;
  const soonMs = waitFor(year, month, date);
  if (soonMs !== null || shownYear !== undefined) return soonMs;
  const laterMs = day === undefined ? waitFor(year, month, date + 1) : waitFor(year + 1, month, date);
  return laterMs !== null && laterMs < FARTHEST_MS ? laterMs : null;
}

/** How far the clocks of a zone, or those of this machine, are behind UTC; null for a zone that does not exist. */
function behindUtc(moment: number, timeZone: string | undefined): number | null {
  if (timeZone === undefined) return new Date(moment).getTimezoneOffset() * 60_000;
  try {
    const shown = new Date(moment).toLocaleString('en-US', { timeZone, timeZoneName: 'longOffset' });
    return Date.parse(`1970-01-01T00:00${/[+-]\d\d:\d\d/.exec(shown)?.[0] ?? 'Z'}`);
  } catch {
    return null;
  }
}
