/**
 * Rate-limit headers. They come with successes too and describe several buckets, so a reset is a hint only where its
 * own bucket is empty. Some providers give the time until the bucket is full again, which is longer than needed; that
 * is why these headers rank last.
 */

import type { HeadersLike } from '../transport.ts';
import { headerValue } from './header-value.ts';
import { parseWait } from './wait.ts';

/** What says how much remains, and what says when that changes: `*` is `remaining` in one and `reset` in the other. */
const BUCKETS: readonly (readonly [remaining: string, reset: string])[] = /* @__PURE__ */ [
  'ratelimit-*', // IETF drafts before 07: seconds
  'x-ratelimit-*', // OpenRouter, GitHub: epoch seconds or milliseconds; Together: seconds
  'x-ratelimit-*-after',
  'x-ratelimit-*-ms',
  'x-ratelimit-*-requests', // OpenAI, Groq: Go durations; Azure: seconds
  'x-ratelimit-*-tokens',
  'x-ratelimit-*-project-tokens',
  'x-ratelimit-*-requests-day', // Cerebras: seconds
  'x-ratelimit-*-tokens-minute',
  'anthropic-ratelimit-requests-*', // RFC 3339
  'anthropic-ratelimit-tokens-*',
  'anthropic-ratelimit-input-tokens-*',
  'anthropic-ratelimit-output-tokens-*',
].map((name) => [name.replace(/\*(?:-after|-ms)?/, 'remaining'), name.replace('*', 'reset')]);
/** `"minute";r=0;t=5, "day";r=90;t=3600` (IETF draft 08 and later), and draft 07's `remaining=0, reset=5`. */
const STRUCTURED_BUCKET = /\br(?:emaining)?=(-?\d+)[^"]{0,64}?\b(?:t|reset)=(\d+)/g;
/** Zero, or below it: Azure counts on into the red. */
const EXHAUSTED = /^(?:-[\d.]+|0+(?:\.0+)?)$/;

/**
 * The longest wait among the exhausted buckets. Where no bucket says what remains, any reset counts, provided that the
 * status is 429, 503 or not known: such a header would not be there otherwise.
 */
export function resetHint(headers: HeadersLike | undefined, nowMs: number, status?: number): number | null {
  const limited = status === undefined || status === 429 || status === 503;
  const structured = [...headerValue(headers, 'ratelimit').matchAll(STRUCTURED_BUCKET)];
  const buckets = BUCKETS.map(([remaining, reset]) => [headerValue(headers, remaining), reset] as const);
  const counted = structured.length > 0 || buckets.some(([remaining]) => remaining !== '');
  const waits = [
    ...structured.map(([, remaining = '', reset = '']) =>
      EXHAUSTED.test(remaining) ? parseWait('', reset, nowMs) : null,
    ),
    ...buckets.map(([remaining, reset]) =>
      (counted ? EXHAUSTED.test(remaining) : limited) ? parseWait(reset, headerValue(headers, reset), nowMs) : null,
    ),
  ];
  const longestMs = Math.max(-1, ...waits.map((ms) => ms ?? -1));
  return longestMs < 0 ? null : longestMs;
}
