/**
 * Waits in sentences: "Please try again in 9m38.016s.", "retry after 33 seconds", "Resets in 3 days". Many providers
 * name the wait only there. A sentence counts only with a cue right before the number and a unit right after it,
 * because messages contain many other numbers.
 */

import { clockTimeHint, type MissingZone } from './clock-time.ts';
import { parseDecimal, readDuration } from './duration.ts';
import { parseWait } from './wait.ts';

/** The rest of a longer text is mostly a quotation of the request. */
const SEARCHED_CHARACTERS = 8_192;

// Either a printed field (`retry-after-ms=1500`, `"retryDelay": "34s"`, also in an escaped string) or a phrase. Between
// cue and number there may be quotes, a separator and one word such as "about" or "another"; Python prints Google's
// field as `retry_delay { seconds: 43 }`. Every repetition is bounded.
const CUE =
  /\b(?:(retry[-_\s]?(?:after|delay)(?:[-_]?m?s\w{0,6})?)|(?:again|retry(?:ing)?|resets?|available)(?:\s[a-z]{1,16}){0,3}?\s(?:in|after)|wait(?:\sfor)?)[\s\\"'`*~{]{0,9}(?:seconds)?([:=])?[\s\\"'`*~{]{0,9}(?:(?:at least|a[a-z]{4,12})\s)?/gi;
/**
 * "Limit resets at: 2026-05-31 10:04:41 UTC", "try again at 2026-05-31T10:04:41Z", "You can access API after …"; the command line of Claude: "usage limit
 * reached|1749924000", in seconds since the epoch.
 */
const MOMENT = /(?:(?:resets?|again) (?:at|after):? |access .{1,24} after |limit reached\|)(\d{10}\b|\d{4}-.*)/i;
const BARE_NUMBER = /(\d{1,15}(?:\.\d{1,32})?)(?![\w-]|[.:,]\d)(\s*[a-z])?/iy;

/**
 * The wait in milliseconds of the first such sentence, or null; a moment counts from `nowMs`. A number without a unit
 * means seconds after "retry after" (Azure) and in a `retry_after` field, and is ignored elsewhere.
 */
export function messageHint(text: string, nowMs: number, missingZone?: MissingZone): number | null {
  const head = text.slice(0, SEARCHED_CHARACTERS);
  if (!/\d/.test(head)) return null;
  CUE.lastIndex = 0;
  // `matchAll` would copy the expression each time.
  for (let cue; (cue = CUE.exec(head)) !== null;) {
    const [, field, separator] = cue;
    const index = CUE.lastIndex;
    const worded = readDuration(head, index);
    if (worded !== null) return worded.ms;
    if (field === undefined) continue;
    BARE_NUMBER.lastIndex = index;
    const [, digits, word] = BARE_NUMBER.exec(head) ?? [];
    // "retry after 3 attempts" names no wait. After a printed field a word may follow: the next field.
    if (digits === undefined || (word !== undefined && separator === undefined)) continue;
    return parseDecimal(digits, /ms/i.test(field) ? 0 : 3);
  }
  return parseWait('', MOMENT.exec(head)?.[1] ?? '', nowMs) ?? clockTimeHint(head, nowMs, missingZone);
}
