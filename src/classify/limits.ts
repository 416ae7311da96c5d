/** Which limit a text describes: one that renews within a minute, a quota, or one that never admits the request. */

import type { FailureType } from '../failure/failure.ts';

/** Of a limit that may be either: a longer wait is a quota, as in Google's own command line client. */
export const LONGEST_WAIT_MS = 300_000;

/**
 * A limit per minute is a rate limit, even if the message speaks of quotas and plans. So is Fireworks' limit on
 * concurrency.
 */
const SHORT_WINDOW = /(per|\/)(min(?!i)|sec(?![urt]))|[rt]pm|explorededicatedcapacity/;

/** Whether the text describes a limit per minute or second. */
export const isShortWindow = (text: string): boolean => SHORT_WINDOW.test(text);

/** A limit of 0, which no wait renews. */
export const NEVER: RegExp = /(?<!remaining)(limit:?|quotavalue:|valuevalue:)0(?!\.?\d)/;

/** The advice for a request that is larger than the whole limit. */
export const NEVER_ADMITTED = 'Send a smaller request, or raise the limit: no wait helps.';

/** "Limit 7000, Used 0, Requested 12903": a single request above the whole limit. A limit of 1 is a placeholder. */
export function isAboveLimit(text: string): boolean {
  const [, limit, requested] = /limit:?(\d{1,15}),(?:used:?\d{1,15},)?requested:?~?(\d{1,15})/.exec(text) ?? [];
  return Number(limit) > 1 && Number(requested) > Number(limit);
}

const LONG_WINDOW =
  /(per|\/|(?<!far)a)(day|week|month|year)|byday|(dai|week|month)ly[a-z]{0,12}(limit|quota|cap|alloc|budget|credit)|[rt]pdratelimit|limitrpd\//;
/** The wait for a rolling window, shorter than a day: daily limits of Groq and OpenAI free up a little all the time. */
const ROLLING = /(tryagain|retry)(in|after)[\d.]{1,32}(?![\d.]|d|week|month)/;

/** A time of the clock or a date: what renews then is a quota, unless it is soon. */
const RENEWS = /resets?(at|on)?([a-z]{3,9}\.?\d\d?,?(at)?)?\d\d?(:\d\d){0,2}([ap]m|\(?(utc|gmt)\b)/;

/** Limits with the same names as rate limits; a gateway may wrap them into a 500. */
export function limitOf(status: number, text: string, waitMs = 0): FailureType | undefined {
  if (![0, 403, 429, 500, 502, 503].includes(status)) return undefined;
  const isLong = LONG_WINDOW.test(text) && !isShortWindow(text) && !ROLLING.test(text);
  const isQuota = isLong || NEVER.test(text) || (waitMs > LONGEST_WAIT_MS && RENEWS.test(text));
  return isQuota ? 'quota_exhausted' : undefined;
}
