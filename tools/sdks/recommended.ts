/**
 * The options for `createRetryFetch` that the pages of the SDKs recommend, by package. The measurements use them, and
 * the tests compare them with the pages and their examples.
 */

import type { RetryConfig } from '../../src/index.ts';

/**
 * For every client that is not listed below, too. The first retry comes as early as that of the SDKs, and the last one
 * after a minute of refusals without a hint, the commonest window of a limit.
 */
export const standard = { baseDelayMs: 500, maxRetries: 8, maxRetryAfterMs: 120_000 } satisfies RetryConfig;

/**
 * For clients that by themselves wait for days: as long as fits into the ten minutes that a call of most SDKs may take.
 */
const longHints = { ...standard, maxRetryAfterMs: 540_000 } satisfies RetryConfig;

/** Groq and Together cut an attempt after a minute; their `timeout` covers all attempts now, and becomes ten. */
const ownTimeLimit = { ...longHints, attemptTimeoutMs: 60_000 } satisfies RetryConfig;
export const CALL_TIMEOUT_MS = 600_000;

export const recommended = {
  openai: standard,
  '@anthropic-ai/sdk': longHints,
  ai: standard,
  '@google/genai': standard,
  '@langchain/openai': standard,
  ky: longHints,
  'groq-sdk': ownTimeLimit,
  'together-ai': ownTimeLimit,
} as const satisfies Readonly<Record<string, RetryConfig>>;

/** As it is typed: `{ baseDelayMs: 500, maxRetryAfterMs: 120_000 }`. */
export function sourceOf(config: RetryConfig): string {
  const members = Object.entries(config).map(([name, value]) => `${name}: ${literal(value)}`);
  return `{ ${members.join(', ')} }`;
}

function literal(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en-US').replaceAll(',', '_') : JSON.stringify(value);
}
