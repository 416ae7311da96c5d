/**
 * Computes a policy's waits in advance. It uses the same `Backoff` as a call, with fixed values instead of random ones:
 * the middle for the wait itself, and the whole range for the bounds of the jitter.
 */

import { type Backoff, DEFAULT_RETRY_CONFIG, type FailureType, type RetryConfig } from '../../index.ts';
import { resolveSchedules, scheduleAfter } from '../../options/schedules.ts';
import { givenOptions } from '../../runtime/expect.ts';

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
  const { backoff } = resolveSchedules(givenOptions(config));
  const { maxRetries, maxTotalDelayMs } = { ...DEFAULT_RETRY_CONFIG, ...givenOptions(config) };
  return {
    backoff,
    maxRetries: config.maxRetries ?? (config.backoff === undefined ? maxRetries : Number.POSITIVE_INFINITY),
    maxTotalDelayMs,
  };
}

/** The waits after failures of this type: those of its strategy, or else those of the whole policy. */
export function sourceFor(config: RetryConfig, type: FailureType): ScheduleSource {
  const schedules = resolveSchedules(givenOptions(config));
  const source = sourceOf(config);
  const { maxAttempts = Number.POSITIVE_INFINITY } = schedules.strategies.get(type) ?? {};
  return {
    ...source,
    backoff: scheduleAfter(type, schedules),
    maxRetries: Math.min(maxAttempts - 1, source.maxRetries),
  };
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
