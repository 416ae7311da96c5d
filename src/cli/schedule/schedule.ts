/**
 * A policy's waits before they happen. They are asked of the very `Backoff` that a call would ask, with chance put in
 * its place: in the middle for the wait itself, and along its whole range for the band that jitter gives.
 */

import {
  type Backoff,
  DEFAULT_RETRY_CONFIG,
  exponential,
  type FailureType,
  type RetryConfig,
  type Strategy,
} from '../../index.ts';

/** Where the waits come from, and what ends them. */
export interface ScheduleSource {
  readonly backoff: Backoff;
  readonly maxRetries: number;
  /** Stops before all waits together are longer. */
  readonly maxTotalDelayMs: number;
}

/** One retry. What has no jitter has three equal delays. */
export interface PlannedRetry {
  /** From 1. */
  readonly retry: number;
  readonly delayMs: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** All waits up to and with this one. */
  readonly elapsedMs: number;
  readonly minElapsedMs: number;
  readonly maxElapsedMs: number;
}

/** A longer list is of no use to a reader. */
export const MOST_RETRIES = 1_000;

const MIDDLE = 0.5;
/** Jitter is reflected at the cap, so the longest wait need not be at an end of the range of chance. */
const SAMPLES: readonly number[] = Array.from({ length: 401 }, (_, index) => index / 400);

/** The waits of a policy that are its own: what a call with these options would use. */
export function sourceOf(config: RetryConfig): ScheduleSource {
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  const all: typeof DEFAULT_RETRY_CONFIG & RetryConfig = { ...DEFAULT_RETRY_CONFIG, ...given };
  const { baseDelayMs, maxDelayMs, backoffMultiplier: multiplier, jitter, jitterFactor, maxTotalDelayMs } = all;
  return {
    backoff: config.backoff ?? exponential({ baseDelayMs, maxDelayMs, multiplier, jitter, jitterFactor }),
    maxRetries: config.maxRetries ?? (config.backoff === undefined ? all.maxRetries : Number.POSITIVE_INFINITY),
    maxTotalDelayMs,
  };
}

/** The waits after failures of one type, where the policy has a strategy for it; else those it has for all. */
export function sourceFor(config: RetryConfig, type: FailureType): ScheduleSource {
  const strategy: Partial<Strategy> | undefined = config.strategies?.[type];
  const source = sourceOf(config);
  if (strategy === undefined) return source;
  const { maxAttempts = 1, initialDelayMs = 0, maxDelayMs = 60_000, multiplier = 1, jitter = 'none' } = strategy;
  const { jitterFactor } = { ...DEFAULT_RETRY_CONFIG, ...config };
  const backoff = exponential({
    baseDelayMs: initialDelayMs,
    maxDelayMs: Math.min(maxDelayMs, config.maxDelayMs ?? Number.POSITIVE_INFINITY),
    multiplier,
    jitter,
    jitterFactor: jitterFactor ?? 0,
  });
  return { ...source, backoff, maxRetries: Math.min(maxAttempts - 1, source.maxRetries) };
}

/** The retries in order; at most one more than {@link MOST_RETRIES}, which tells a schedule that goes on. */
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

/** Whether chance has a say. */
export const hasJitter = (retries: readonly PlannedRetry[]): boolean =>
  retries.some(({ minDelayMs, maxDelayMs }) => minDelayMs !== maxDelayMs);
