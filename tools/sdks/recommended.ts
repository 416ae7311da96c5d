/** What the pages of the SDKs pass to `createRetryFetch`, by package; the tests compare the pages and their examples with it. */

/** For every client that is not listed below, too. */
export const standard = 'presets.recommended';

/**
 * For clients that by themselves wait for days: as long as fits into the ten minutes that a call of most SDKs may take.
 */
const longHints = '{ ...presets.recommended, maxRetryAfterMs: 540_000 }';

/** Groq and Together cut an attempt after a minute; their `timeout` covers all attempts now, and becomes ten. */
const ownTimeLimit = '{ ...presets.recommended, maxRetryAfterMs: 540_000, attemptTimeoutMs: 60_000 }';
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
} as const;
