/** The state after a first rate limit, and the decision of a policy in it. */

import type { RetryConfig } from '../../src/options/config.ts';
import { type Decision, decide, type Situation } from '../../src/loop/decide.ts';
import type { Failure } from '../../src/failure/failure.ts';
import { resolveConfig } from '../../src/options/policy.ts';

const rateLimited: Failure = {
  type: 'rate_limit',
  retryable: true,
  category: 'retryable',
  status: 429,
  message: 'slow down',
  phase: 'response',
};

export function situation(overrides: Partial<Situation> = {}, failure: Partial<Failure> = {}): Situation {
  return {
    failure: { ...rateLimited, ...failure },
    serverSaidStop: false,
    attempts: 1,
    attemptsOfType: 1,
    totalDelayMs: 0,
    elapsedMs: 0,
    maxRetries: 3,
    obstacle: null,
    fallback: null,
    ...overrides,
  };
}

export function decided(
  config: RetryConfig,
  overrides: Partial<Situation> = {},
  failure: Partial<Failure> = {},
  random: () => number = () => 0.5,
): Decision {
  const policy = resolveConfig(config);
  return decide(situation({ maxRetries: policy.maxRetries, ...overrides }, failure), policy, random);
}

/** The wait of a decision to retry. */
export function waitOf(decision: Decision): number {
  if (decision.retry) return decision.delayMs;
  throw new Error(`Expected a retry, got ${decision.because}.`);
}

export const hinted = (retryAfterMs: number): Partial<Failure> => ({ retryAfterMs, hintSource: 'retry-after' });
