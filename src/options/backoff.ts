/**
 * How long to wait without a hint: schedules as pure functions from the number of the retry to a delay. Random numbers
 * come only from `random`, so every delay can be computed in advance.
 */

import {
  type Check,
  checkOptions,
  expectIndex,
  expectNumber,
  expectObject,
  mismatch,
  number,
  oneOf,
} from '../runtime/expect.ts';
import type { Jitter } from '../failure/failure.ts';
import { systemRuntime } from '../runtime/runtime.ts';

/** A schedule of waits. Pure except for `random`, and O(1) for any retry. */
export interface Backoff {
  /**
   * The wait in milliseconds before a retry, or `undefined` to stop. `retry` counts from 0: the first retry follows the
   * first failed attempt.
   *
   * @throws RangeError when `retry` is negative, fractional or not finite
   */
  delayFor(retry: number, context?: { readonly random?: (() => number) | undefined }): number | undefined;
}

/** Options of {@link exponential}. */
export interface ExponentialOptions {
  /** The wait before the first retry, in milliseconds. @default 1000 */
  readonly baseDelayMs?: number | undefined;
  /** The longest wait, jitter included; may be `Infinity`. @default 60000 */
  readonly maxDelayMs?: number | undefined;
  /** Each wait is this many times as long as the one before; at least 1. @default 2 */
  readonly multiplier?: number | undefined;
  /** @default 'symmetric' */
  readonly jitter?: Jitter | undefined;
  /** The share of a wait that jitter may change, from 0 to 1. `full` has no use for it. @default 0.2 */
  readonly jitterFactor?: number | undefined;
}

/** Options of {@link stepped}. */
export interface SteppedOptions {
  /** The wait after the last step, repeated, in milliseconds; `null` ends the schedule there. @default the last step */
  readonly tailMs?: number | null | undefined;
  /** The schedule ends before the sum of all waits, without jitter, exceeds this, in milliseconds. @default Infinity */
  readonly budgetMs?: number | undefined;
  /** The schedule ends after this many retries. @default Infinity */
  readonly maxRetries?: number | undefined;
  /** @default 'none' */
  readonly jitter?: Jitter | undefined;
  /** The share of a wait that jitter may change, from 0 to 1. `full` has no use for it. @default 0.2 */
  readonly jitterFactor?: number | undefined;
}

const KINDS: Readonly<Record<Jitter, true>> = { none: true, symmetric: true, full: true, down: true };

/** Every kind of jitter. The record does not compile if one is missing. */
export const JITTERS: readonly Jitter[] = /* @__PURE__ */ Object.keys(KINDS) as Jitter[];

/**
 * Waits that grow by a constant factor up to `maxDelayMs`, without an end: `maxRetries` limits the retries. Frozen.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function exponential(options: ExponentialOptions = {}): Backoff {
  const { delayFor } = checkedGrowing(options);
  return Object.freeze<Backoff>({ delayFor: (retry, context) => delayFor(expectIndex('retry', retry), context) });
}

/**
 * The given waits in order, then the tail. With `[]` the tail is the whole schedule, and without a tail it has no
 * retry. With jitter `full` and `down` a wait is never longer than its step; with `symmetric` it may be. Frozen.
 *
 * @throws TypeError if an option or a step is invalid; the message names it
 */
export function stepped(delaysMs: readonly number[], options: SteppedOptions = {}): Backoff {
  if (!Array.isArray(delaysMs)) throw new TypeError(mismatch('delaysMs', 'an array of numbers ≥ 0', delaysMs));
  const steps = Array.from(delaysMs, (delayMs: unknown, index) => expectNumber(`delaysMs[${index}]`, delayMs));
  const given = checkOptions(
    '',
    expectObject('options', options, 'an object such as { tailMs: null }'),
    checksOfSteps(),
  );
  const { tailMs = steps.at(-1) ?? null, budgetMs = Infinity, maxRetries = Infinity } = given;
  const { jitter = 'none', jitterFactor = 0.2 } = given;

  let totalMs = 0;
  const totalsMs = steps.map((delayMs) => (totalMs += delayMs));
  return Object.freeze<Backoff>({
    delayFor(retry, { random = systemRuntime.random } = {}) {
      expectIndex('retry', retry);
      const delayMs = steps[retry] ?? tailMs;
      if (delayMs === null || retry >= maxRetries) return undefined;
      const scheduledMs = totalsMs[retry] ?? totalMs + (retry - steps.length + 1) * delayMs;
      if (scheduledMs > budgetMs) return undefined;
      return applyJitter(delayMs, Infinity, jitter, jitterFactor, random);
    },
  });
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
  const { delayFor } = checkedGrowing({ baseDelayMs, maxDelayMs, multiplier, jitterFactor });
  return delayFor(expectIndex('attempt', attempt), { random });
}

const checksOfJitter = () => ({ jitter: oneOf(JITTERS), jitterFactor: number({ max: 1 }) });

const checksOfSteps = (): { readonly [K in keyof SteppedOptions]-?: Check } => ({
  tailMs: (name, value) => value === null || expectNumber(name, value),
  budgetMs: number({ max: Infinity }),
  maxRetries: number({ integer: true, max: Infinity }),
  ...checksOfJitter(),
});

const checksOfGrowing = (): { readonly [K in keyof ExponentialOptions]-?: Check } => ({
  baseDelayMs: number(),
  maxDelayMs: number({ max: Infinity }),
  multiplier: number({ min: 1 }),
  ...checksOfJitter(),
});

function checkedGrowing(options: ExponentialOptions): Growing {
  const all = expectObject('options', options, 'an object such as { baseDelayMs: 500 }');
  const given = checkOptions('', all, checksOfGrowing());
  const { baseDelayMs = 1_000, maxDelayMs = 60_000, multiplier = 2, jitter = 'symmetric', jitterFactor = 0.2 } = given;
  return growing(baseDelayMs, maxDelayMs, multiplier, jitter, jitterFactor);
}

/** A schedule without an end. */
type Growing = { readonly delayFor: (...args: Parameters<Backoff['delayFor']>) => number };

/** The schedule of {@link exponential}, for options and retries that are checked already. */
export function growing(
  baseDelayMs: number,
  maxDelayMs: number,
  multiplier: number,
  jitter: Jitter,
  jitterFactor: number,
): Growing {
  return {
    delayFor: (retry, { random = systemRuntime.random } = {}) => {
      // 0 × Infinity is NaN, so a base of 0 is handled apart.
      const delayMs = baseDelayMs === 0 ? 0 : baseDelayMs * multiplier ** retry;
      return applyJitter(delayMs, maxDelayMs, jitter, jitterFactor, random);
    },
  };
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
      return jitterFactor === 0 ? 1 : 1 - jitterFactor * (1 - random());
    case 'symmetric':
      return jitterFactor === 0 ? 1 : 1 + jitterFactor * (2 * random() - 1);
  }
}
