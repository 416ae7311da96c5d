/** Policies by name: what five systems that call LLM APIs every day have settled on. Spread one and change a field. */

import { stepped } from './backoff.ts';
import type { RetryConfig } from './config.ts';
import { fleet, type FleetOptions } from './fleet.ts';
import { FAILURES, type FailureType, type Strategy } from '../failure/failure.ts';

const HOUR_MS = 3_600_000;

const taxonomyStrategies = (): Partial<Record<FailureType, Strategy>> => {
  const strategies: Record<string, Strategy> = {};
  for (const [type, { strategy }] of Object.entries(FAILURES)) if (strategy !== null) strategies[type] = strategy;
  return Object.freeze(strategies);
};

export interface Presets {
  /** The defaults, by name. */
  readonly standard: RetryConfig;
  /**
   * For work that may wait: 5 s, 10 s, 30 s, 1 m, 5 m, 10 m, 15 m, then every 30 m, without jitter, until eight hours
   * are spent: 21 retries, 7 h 31 m 45 s. Waits out a five-hour usage window.
   */
  readonly patient: RetryConfig;
  /** For workers in the background: 3, 5, 10, 30, then every 60 s, ten retries, without jitter. */
  readonly background: RetryConfig;
  /** For an agent that a person watches: 2, 4, 8 s, without jitter. */
  readonly agent: RetryConfig;
  /** A strategy per failure type, full jitter, hints up to 10 s with 10 % on top. */
  readonly taxonomy: RetryConfig;
  /**
   * For many callers of one limit: full jitter, a retry budget and a cooldown that all of them share. Each call makes a
   * gate of its own: call it once, and give the result to everything that shares the limit.
   */
  fleet(options?: FleetOptions): RetryConfig;
}

/** Made in a function, for bundlers keep what a call is given to work on, and with `fleet` that is the whole gate. */
export const presets: Presets = /* @__PURE__ */ (() =>
  Object.freeze({
    standard: Object.freeze({}),
    patient: Object.freeze({
      backoff: stepped([5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 900_000, 1_800_000], {
        budgetMs: 8 * HOUR_MS,
      }),
      maxRetries: 21,
      jitter: 'none',
      maxTotalDelayMs: 8 * HOUR_MS,
      maxRetryAfterMs: 8 * HOUR_MS,
    }),
    background: Object.freeze({
      backoff: stepped([3_000, 5_000, 10_000, 30_000, 60_000]),
      maxRetries: 10,
      jitter: 'none',
    }),
    agent: Object.freeze({ baseDelayMs: 2_000, backoffMultiplier: 2, maxRetries: 3, jitter: 'none' }),
    taxonomy: Object.freeze({
      strategies: taxonomyStrategies(),
      // As many as the strategies allow between them.
      maxRetries: 17,
      maxDelayMs: 120_000,
      jitter: 'full',
      // Full jitter is in the strategies; on a hint only the padding counts.
      jitterFactor: 0,
      maxRetryAfterMs: 10_000,
      retryAfterPaddingFactor: 0.1,
    }),
    fleet,
  }))();
