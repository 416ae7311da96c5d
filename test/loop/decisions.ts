/** The state after a first rate limit, and the decision of a policy in it. */

import type { RetryConfig } from '../../src/options/config.ts';
import { type Decision, decide, type Situation } from '../../src/loop/decide.ts';
import type { Failure } from '../../src/failure/failure.ts';
import type { WaitReason } from '../../src/failure/reasons.ts';
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
    ruledOut: null,
    attempts: 1,
    attemptsOfStrategy: 1,
    scheduleIndex: (overrides.attemptsOfStrategy ?? overrides.attempts ?? 1) - 1,
    cutOffsLeft: Infinity,
    wasHinted: false,
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
): ToldDecision {
  const decision = decideUnder(config, overrides, failure, random);
  if (!decision.retry) return decision;
  const { retry, delayMs, because } = decision;
  return { retry, delayMs, because };
}

/** The decision with what a wait means for the targets. */
export function decideUnder(
  config: RetryConfig,
  overrides: Partial<Situation> = {},
  failure: Partial<Failure> = {},
  random: () => number = () => 0.5,
): Decision {
  const policy = resolveConfig('createRetryFetch', config);
  return decide(situation({ maxRetries: policy.maxRetries, ...overrides }, failure), policy, random);
}

/** The part of a decision that listeners hear. */
export type ToldDecision =
  | { readonly retry: true; readonly delayMs: number; readonly because: WaitReason }
  | Extract<Decision, { readonly retry: false }>;

/** The wait of a decision to retry. */
export function waitOf(decision: ToldDecision): number {
  if (decision.retry) return decision.delayMs;
  throw new Error(`Expected a retry, got ${decision.because}.`);
}

export const hinted = (retryAfterMs: number): Partial<Failure> => ({ retryAfterMs, hintSource: 'retry-after' });
