/**
 * Rate-limit headers. They also come with successes and describe several buckets, so a reset is a hint only if its own
 * bucket is empty. Some providers give the time until the bucket is full again, which is longer than needed, so these
 * headers rank last.
 */

import type { HeaderReader } from './header-reader.ts';
import { parseWait } from './wait.ts';

/**
 * The headers of the buckets; `*` is `remaining` in one header and `reset` in the other. In order: the IETF drafts
 * before 07, in seconds; OpenRouter and GitHub, moments, and Together, seconds; two that name their unit; OpenAI and
 * Groq, Go durations, and Azure, seconds; Cerebras, seconds; Anthropic, RFC 3339.
 */
const BUCKETS =
  'ratelimit-* x-ratelimit-* x-ai-ratelimit-* x-ratelimit-*-after x-ratelimit-*-ms x-ratelimit-*-requests x-ratelimit-*-tokens ' +
  'x-ratelimit-*-project-tokens x-ratelimit-*-requests-day x-ratelimit-*-tokens-minute anthropic-ratelimit-requests-* ' +
  'anthropic-ratelimit-tokens-* anthropic-ratelimit-input-tokens-* anthropic-ratelimit-output-tokens-*';
/** The five hours and the week of a subscription at Anthropic: a moment, and `allowed`, `allowed_warning` or `rejected`. */
const UNIFIED = 'anthropic-ratelimit-unified-';
/** Made at the first failure, so that it costs nothing before. */
let bucketHeaders: readonly (readonly [remaining: string, reset: string])[] | undefined;
/**
 * The longest wait of the exhausted buckets. If no bucket says what remains, every reset counts, but only with a status
 * of 429 or 503, or without a status.
 */
export function resetHint(header: HeaderReader, nowMs: number, status?: number): number | null {
  const limited = [undefined, 429, 503].includes(status);
  bucketHeaders ??= BUCKETS.split(' ').map((name) => [
    name.replace(/\*(?:-after|-ms)?/, 'remaining'),
    name.replace('*', 'reset'),
  ]);
  const buckets = bucketHeaders.map(([remaining, reset]) => [header(remaining), header(reset), reset] as const);
  const unified = header(`${UNIFIED}status`);
  buckets.push([unified === '' ? '' : String(Number(unified !== 'rejected')), header(`${UNIFIED}reset`), 'at']);
  // `"minute";r=0;t=5, "day";t=3600;r=90` (IETF draft 08 and later), and one bucket of draft 07, `remaining=0, reset=5`.
  for (const bucket of header('ratelimit').split(/,(?=[^,=]*;)/)) {
    const read = (member: RegExp) => member.exec(bucket)?.[1] ?? '';
    buckets.push([read(/\br(?:emaining)?=(-?\d+)/), read(/\b(?:t|reset)=(\d+)/), '']);
  }
  const isCounted = buckets.some(([remaining]) => remaining !== '');
  // Zero or less: Azure sends negative numbers.
  const counted = buckets.filter(
    ([remaining, reset]) => reset !== '' && (isCounted ? Number(remaining || 1) <= 0 : limited),
  );
  const longestMs = Math.max(...counted.map(([, reset, name]) => parseWait(name, reset, nowMs) ?? -1));
  return longestMs < 0 ? null : longestMs;
}

/** Whether the quota of a subscription is used up, and when it renews is known. */
export function isQuotaUsedUp(header: HeaderReader): boolean {
  return header(`${UNIFIED}reset`) !== '' && !header(`${UNIFIED}status`).startsWith('allowed');
}
