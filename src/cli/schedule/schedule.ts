/**
 * Computes a policy's waits in advance. It uses the same `Backoff` as a call, with fixed values instead of random ones:
 * the middle for the wait itself, and the whole range for the bounds of the jitter.
 */

import {
  type Backoff,
  DEFAULT_RETRY_CONFIG,
  exponential,
  type FailureType,
  type RetryConfig,
  type Strategy,
} from '../../index.ts';

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
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  const all: typeof DEFAULT_RETRY_CONFIG & RetryConfig = { ...DEFAULT_RETRY_CONFIG, ...given };
  const { baseDelayMs, maxDelayMs, backoffMultiplier: multiplier, jitter, jitterFactor, maxTotalDelayMs } = all;
  return {
    backoff: config.backoff ?? exponential({ baseDelayMs, maxDelayMs, multiplier, jitter, jitterFactor }),
    maxRetries: config.maxRetries ?? (config.backoff === undefined ? all.maxRetries : Number.POSITIVE_INFINITY),
    maxTotalDelayMs,
  };
}

/** The waits after failures of this type: those of its strategy, or else those of the whole policy. */
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
