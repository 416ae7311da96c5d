/** Policies by name, taken from five systems that call LLM APIs every day. Spread one and change a field. */

import { FAILURES, type FailureType, type Strategy } from '../failure/failure.ts';
import type { RetryPolicy } from './config.ts';

const HOUR_MS = 3_600_000;

const taxonomyStrategies = (): Partial<Record<FailureType, Strategy>> => {
  const strategies: Record<string, Strategy> = {};
  for (const [type, { strategy }] of Object.entries(FAILURES)) if (strategy !== null) strategies[type] = strategy;
  return Object.freeze(strategies);
};

type Name = 'recommended' | 'patient' | 'background' | 'agent' | 'taxonomy' | 'fleet';

type Listed = RetryPolicy & { readonly backoff: readonly number[] };

/** Policies with a name, to pass as they are or to spread: `createRetryFetch({ ...presets.patient, maxRetries: 5 })`. */
export const presets: { readonly [K in Name]: K extends 'patient' | 'background' ? Listed : RetryPolicy } =
  /* @__PURE__ */ makePresets();

/** In a function, because bundlers keep the arguments of a call. */
function makePresets(): typeof presets {
  const recommended = { baseDelayMs: 500, maxDelayMs: 20_000, maxRetries: 10, maxRetryAfterMs: 120_000 };
  return Object.freeze({
    recommended: Object.freeze(recommended),
    patient: Object.freeze({
      backoff: Object.freeze([5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 900_000, 1_800_000]),
      maxRetries: 21,
      maxTotalDelayMs: 8 * HOUR_MS,
      maxRetryAfterMs: 8 * HOUR_MS,
      waitForQuotaReset: true,
    }),
    background: Object.freeze({
      backoff: Object.freeze([3_000, 5_000, 10_000, 30_000, 60_000]),
      maxRetries: 10,
      retryAfter: (hintMs: number) => Math.max(hintMs, 3_000),
    }),
    agent: Object.freeze({ baseDelayMs: 2_000, backoffMultiplier: 2, maxRetries: 3, jitter: 'none' }),
    taxonomy: Object.freeze({
      strategies: taxonomyStrategies(),
      jitter: 'full',
      maxRetryAfterMs: 10_000,
      // Not times 1.1: 12000 × 1.1 is 13200.000000000002.
      retryAfter: (hintMs: number) => hintMs + hintMs / 10,
    }),
    fleet: Object.freeze({ ...recommended, maxRetries: 16, jitter: 'full' }),
  });
}
