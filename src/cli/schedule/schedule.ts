/**
 * Computes a policy's waits in advance. It uses the same `Backoff` as a call, with fixed values instead of random ones:
 * the middle for the wait itself, and the whole range for the bounds of the jitter.
 */

import type { Backoff, FailureType, RetryConfig } from '../../index.ts';
import { type Policy, resolveConfig } from '../../policy/policy.ts';

/** The source of the waits, and the limits that end them. */
export interface ScheduleSource {
  readonly backoff: Backoff;
  readonly maxRetries: number;
  /** The schedule stops before the total of its waits exceeds this. */
  readonly maxTotalDelayMs: number;
}

/** One retry. Without jitter its three delays are equal. */
export interface PlannedRetry {
  /** From 1. */
  readonly retry: number;
  readonly delayMs: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** The total of all waits, this one included. */
  readonly elapsedMs: number;
  readonly minElapsedMs: number;
  readonly maxElapsedMs: number;
}

/** More retries than a reader needs. */
export const MOST_RETRIES = 1_000;

const MIDDLE = 0.5;
/** Jitter is reflected at the cap, so the longest wait may lie anywhere in the range of random values. */
const SAMPLES: readonly number[] = Array.from({ length: 401 }, (_, index) => index / 400);

/** The waits that a call with these options would use. */
export function sourceOf(config: RetryConfig): ScheduleSource {
  return policyOf(config);
}

/** The waits after failures of this type: those of its strategy, or else those of the whole policy. */
export function sourceFor(config: RetryConfig, type: FailureType): ScheduleSource {
  const policy = policyOf(config);
  const strategy = policy.strategies.get(type);
  if (strategy === undefined) return policy;
  const maxRetries = Math.min(strategy.maxAttempts - 1, policy.maxRetries);
  return { backoff: strategy.backoff, maxRetries, maxTotalDelayMs: policy.maxTotalDelayMs };
}

/** A call may not retry without end, but a schedule without an end can be shown. */
function policyOf(config: RetryConfig): Policy {
  return resolveConfig(config.backoff === undefined ? config : { maxRetries: MOST_RETRIES + 1, ...config });
}

/** The retries in order; at most one more than {@link MOST_RETRIES}, so that the caller detects an endless schedule. */
export function plannedRetries({ backoff, maxRetries, maxTotalDelayMs }: ScheduleSource): readonly PlannedRetry[] {
  const planned: PlannedRetry[] = [];
  let [elapsedMs, minElapsedMs, maxElapsedMs] = [0, 0, 0];
  for (let index = 0; index < maxRetries && index <= MOST_RETRIES; index += 1) {
    const delayMs = backoff.delayFor(index, { random: () => MIDDLE });
    if (delayMs === undefined || elapsedMs + delayMs > maxTotalDelayMs) break;
    const delays = SAMPLES.map((chance) => backoff.delayFor(index, { random: () => chance }) ?? delayMs);
    const [minDelayMs, maxDelayMs] = [Math.min(...delays), Math.max(...delays)];
    elapsedMs += delayMs;
    minElapsedMs += minDelayMs;
    maxElapsedMs += maxDelayMs;
    planned.push({ retry: index + 1, delayMs, minDelayMs, maxDelayMs, elapsedMs, minElapsedMs, maxElapsedMs });
  }
  return planned;
}

/** Whether jitter changes any wait. */
export const hasJitter = (retries: readonly PlannedRetry[]): boolean =>
  retries.some(({ minDelayMs, maxDelayMs }) => minDelayMs !== maxDelayMs);
