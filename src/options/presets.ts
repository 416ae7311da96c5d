/** Policies by name, taken from five systems that call LLM APIs every day. Spread one and change a field. */

import { stepped } from './backoff.ts';
import type { RetryConfig } from './config.ts';
import { fleet, type FleetOptions } from '../gate/fleet.ts';
import { FAILURES, type FailureType, type Strategy } from '../failure/failure.ts';

const HOUR_MS = 3_600_000;

const taxonomyStrategies = (): Partial<Record<FailureType, Strategy>> => {
  const strategies: Record<string, Strategy> = {};
  for (const [type, { strategy }] of Object.entries(FAILURES)) if (strategy !== null) strategies[type] = strategy;
  return Object.freeze(strategies);
};

/** The type of `presets`: policies with a name. */
export interface Presets {
  /** The defaults. */
  readonly standard: RetryConfig;
  /**
   * For work that may wait for hours: 5 s, 10 s, 30 s, 1 m, 5 m, 10 m, 15 m, then every 30 m, without jitter, for up to
   * eight hours (21 retries, 7 h 31 m 45 s). Long enough for a five-hour usage window.
   */
  readonly patient: RetryConfig;
  /** For background workers: 3, 5, 10, 30, then every 60 s, ten retries, without jitter. */
  readonly background: RetryConfig;
  /** For an agent with a user in front of it: 2, 4, 8 s, without jitter. */
  readonly agent: RetryConfig;
  /** A strategy per type of failure, full jitter, hints of up to 10 s plus 10 %. */
  readonly taxonomy: RetryConfig;
  /**
   * For many callers of one limit: full jitter, and a gate (pace, hold, retry budget) that they share. Each call makes
   * a new gate: call it once, and use the result for all calls under the limit.
   */
  fleet(options?: FleetOptions): RetryConfig;
}

/** In a function, because bundlers keep the arguments of a call, and with `fleet` that would be the whole gate. */
function makePresets(): Presets {
  return Object.freeze({
    standard: Object.freeze({}),
    patient: Object.freeze({
      backoff: stepped([5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 900_000, 1_800_000], {
        budgetMs: 8 * HOUR_MS,
      }),
      maxRetries: 21,
      jitter: 'none',
      maxTotalDelayMs: 8 * HOUR_MS,
      maxRetryAfterMs: 8 * HOUR_MS,
      waitForQuotaReset: true,
    }),
    background: Object.freeze({
      backoff: stepped([3_000, 5_000, 10_000, 30_000, 60_000]),
      maxRetries: 10,
      jitter: 'none',
    }),
    agent: Object.freeze({ baseDelayMs: 2_000, backoffMultiplier: 2, maxRetries: 3, jitter: 'none' }),
    taxonomy: Object.freeze({
      strategies: taxonomyStrategies(),
      // The sum of what the strategies allow.
      maxRetries: 17,
      maxDelayMs: 120_000,
      jitter: 'full',
      // The strategies have full jitter; a hint gets only the padding.
      jitterFactor: 0,
      maxRetryAfterMs: 10_000,
      retryAfterPaddingFactor: 0.1,
    }),
    fleet,
  });
}

/** Policies with a name, to pass as they are or to spread: `createRetryFetch({ ...presets.patient, maxRetries: 5 })`. */
export const presets: Presets = /* @__PURE__ */ makePresets();
