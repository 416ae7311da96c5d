/**
 * How long to wait without a hint. A schedule is a pure function from the number of the retry to a delay; random numbers
 * come only from `random`, so every delay can be computed in advance.
 */

import { expectIndex, expectNumber, mismatch } from '../runtime/expect.ts';
import type { Backoff, Failure, Jitter } from '../failure/failure.ts';
import { systemRuntime } from '../runtime/runtime.ts';

/** A schedule as the loop calls it. undefined: it has ended. */
export type Schedule = (retry: number, failure: Failure, random: () => number) => number | undefined;

/** Every kind of jitter. */
export const JITTERS: readonly Jitter[] = ['none', 'symmetric', 'full', 'down'];

/** What shapes a schedule. */
export interface Shape {
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly backoffMultiplier: number;
  readonly jitter: Jitter;
  readonly jitterFactor: number;
}

/** The schedule of `backoff`, or without one of waits that grow. */
export function scheduleOf(backoff: Backoff | undefined, shape: Shape): Schedule {
  const { baseDelayMs, maxDelayMs, backoffMultiplier, jitter, jitterFactor } = shape;
  const delayOf =
    backoff === undefined
      ? // 0 × Infinity is NaN, so a base of 0 is handled apart.
        (retry: number) => (baseDelayMs === 0 ? 0 : baseDelayMs * backoffMultiplier ** retry)
      : typeof backoff === 'function'
        ? (retry: number, failure: Failure) => askedFor(backoff, retry, failure)
        : (retry: number) => backoff[Math.min(retry, backoff.length - 1)];
  return (retry, failure, random) => {
    const delayMs = delayOf(retry, failure);
    return delayMs === undefined ? undefined : applyJitter(delayMs, maxDelayMs, jitter, jitterFactor, random);
  };
}

/** Infinity ends the call too. NaN would pass every limit. @throws TypeError; it names the retry */
function askedFor(backoff: Exclude<Backoff, readonly number[]>, retry: number, failure: Failure): number | undefined {
  const delayMs: unknown = backoff(retry, failure);
  if (delayMs === undefined || delayMs === Infinity) return undefined;
  if (typeof delayMs === 'number' && delayMs >= 0) return delayMs;
  throw new TypeError(mismatch(`backoff(${retry}, …)`, 'a number ≥ 0, or undefined to stop', delayMs));
}

/**
 * The wait before one retry with symmetric jitter, for programs with their own loop: `min(base × multiplier^attempt,
 * max)`, ± `jitterFactor` of it; what exceeds `max` is reflected below it. Not rounded.
 *
 * @param attempt The number of the retry, from 0.
 * @param random From 0 to 1. @default Math.random
 * @throws RangeError if `attempt` is negative, fractional or not finite; TypeError if another argument is invalid
 */
export function calculateBackoff(
  attempt: number,
  baseDelayMs: number,
  maxDelayMs: number,
  multiplier: number,
  jitterFactor: number,
  random: () => number = systemRuntime.random,
): number {
  expectNumber('baseDelayMs', baseDelayMs);
  expectNumber('maxDelayMs', maxDelayMs, { max: Infinity });
  expectNumber('multiplier', multiplier, { min: 1 });
  expectNumber('jitterFactor', jitterFactor, { max: 1 });
  const delayMs = baseDelayMs === 0 ? 0 : baseDelayMs * multiplier ** expectIndex('attempt', attempt);
  return applyJitter(delayMs, maxDelayMs, 'symmetric', jitterFactor, random);
}

/**
 * Caps a delay, then applies jitter. In the other order the cap would collect many clients at the same moment. What
 * jitter lifts above the cap is reflected below it for the same reason. The result is finite, and from 0 to
 * `maxDelayMs`.
 */
export function applyJitter(
  delayMs: number,
  maxDelayMs: number,
  jitter: Jitter,
  jitterFactor: number,
  random: () => number,
): number {
  const limitMs = Math.min(maxDelayMs, Number.MAX_SAFE_INTEGER);
  const cappedMs = Math.min(delayMs, limitMs);
  const jitteredMs = cappedMs * share(jitter, jitterFactor, random);
  const reflectedMs = jitteredMs > limitMs ? 2 * limitMs - jitteredMs : jitteredMs;
  return Math.min(Math.max(reflectedMs, 0), limitMs);
}

/** The factor for a delay. It grows with `random`. */
function share(jitter: Jitter, jitterFactor: number, random: () => number): number {
  switch (jitter) {
    case 'none':
      return 1;
    case 'full':
      return random();
    case 'down':
      return 1 - jitterFactor * (1 - random());
    case 'symmetric':
      return 1 + jitterFactor * (2 * random() - 1);
  }
}
