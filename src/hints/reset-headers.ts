/**
 * Rate-limit headers. They come with successes too and describe several buckets, so a reset is a hint only where its
 * own bucket is empty. Some providers give the time until the bucket is full again, which is longer than needed; that
 * is why these headers rank last.
 */

import type { HeadersLike } from '../transport.ts';
import { type HeaderReader, readHeaders } from './header-reader.ts';
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
export function resetHint(
  headers: HeadersLike | HeaderReader | undefined,
  nowMs: number,
  status?: number,
): number | null {
  const header = readHeaders(headers);
  if (!header.mayLimit) return null;
  const limited = status === undefined || status === 429 || status === 503;
  const structured = [...header.get('ratelimit').matchAll(STRUCTURED_BUCKET)];
  const buckets = BUCKETS.map(([remaining, reset]) => [header.get(remaining), reset] as const);
  const counted = structured.length > 0 || buckets.some(([remaining]) => remaining !== '');
  let longestMs: number | null = null;
  const consider = (ms: number | null): void => {
    if (ms !== null && ms >= (longestMs ?? 0)) longestMs = ms;
  };
  for (const [, remaining = '', reset = ''] of structured) {
    if (EXHAUSTED.test(remaining)) consider(parseWait('', reset, nowMs));
  }
  for (const [remaining, reset] of buckets) {
    if (counted ? EXHAUSTED.test(remaining) : limited) consider(parseWait(reset, header.get(reset), nowMs));
  }
  return longestMs;
}
