/**
 * The schedules that the options describe: the common one, and one for each type of failure with a strategy. The loop,
 * the proxy and the command all wait by these.
 */

import { FAILURES, type FailureType, isFailureType, type Strategy } from '../failure/failure.ts';
import { type Given, givenOptions } from '../runtime/expect.ts';
import { type Backoff, growing } from './backoff.ts';
import { DEFAULT_RETRY_CONFIG, type RetryConfig } from './config.ts';

/** A strategy with its schedule. */
export interface ResolvedStrategy extends Strategy {
  readonly backoff: Backoff;
}

/** The common schedule, and those of the types that have a strategy. */
export interface Schedules {
  readonly backoff: Backoff;
  readonly strategies: ReadonlyMap<FailureType, ResolvedStrategy>;
}

/** `given`: the options that are given, already checked. */
export function resolveSchedules(given: Given<RetryConfig>): Schedules {
  const { baseDelayMs, maxDelayMs, backoffMultiplier, jitter, jitterFactor } = { ...DEFAULT_RETRY_CONFIG, ...given };
  const backoff = given.backoff ?? growing(baseDelayMs, maxDelayMs, backoffMultiplier, jitter, jitterFactor);
  const strategies = new Map<FailureType, ResolvedStrategy>();
  for (const [type, override] of Object.entries(given.strategies ?? {})) {
    if (!isFailureType(type) || override === undefined) continue;
    const { strategy, fallback } = FAILURES[type];
    const overrides = givenOptions(override);
    const all: Strategy = { ...NO_STRATEGY, fallback, ...strategy, ...overrides };
    const longestMs = Math.min(all.maxDelayMs, given.maxDelayMs ?? Infinity);
    // Without a word about its waits, a type that has no row waits like every other failure, and not at once.
    const waits = strategy !== null || WAIT_OPTIONS.some((option) => overrides[option] !== undefined);
    strategies.set(type, {
      ...all,
      backoff: waits ? growing(all.initialDelayMs, longestMs, all.multiplier, all.jitter, jitterFactor) : backoff,
    });
  }
  return { backoff, strategies };
}

/** The defaults for a type of failure without a row of its own. */
const NO_STRATEGY: Omit<Strategy, 'fallback'> = {
  maxAttempts: 1,
  initialDelayMs: 0,
  maxDelayMs: 60_000,
  multiplier: 1,
  jitter: 'none',
  respectRetryAfter: true,
};

const WAIT_OPTIONS = ['initialDelayMs', 'maxDelayMs', 'multiplier', 'jitter'] as const;
