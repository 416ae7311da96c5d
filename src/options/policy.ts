/** The options, checked once at creation and with all defaults filled in. */

import { checkConfig, expectConfig, refuseEndless } from './check-config.ts';
import { givenOptions } from '../runtime/expect.ts';
import { RETRYABLE_STATUS_CODES } from '../classify/index.ts';
import { DEFAULT_RETRY_CONFIG, type RetryConfig } from './config.ts';
import { routeOf } from '../route/open-route.ts';
import type { OpenRoute } from '../route/route.ts';
import { type Runtime, systemRuntime } from '../runtime/runtime.ts';
import { resolveSchedules, type Schedules } from './schedules.ts';

/** A checked and completed {@link RetryConfig}. */
export interface Policy extends Omit<typeof DEFAULT_RETRY_CONFIG, 'retryableStatusCodes'>, Schedules {
  /** The options that are given. */
  readonly config: RetryConfig;
  readonly attemptTimeoutMs: number | undefined;
  /** null: the taxonomy decides. */
  readonly retryableStatusCodes: readonly number[] | null;
  readonly maxRetryAfterMs: number;
  /** The share that jitter may add to a hint; 0 with jitter 'none'. */
  readonly hintSpread: number;
  readonly runtime: Required<Runtime>;
  /** Opens the route of a call; undefined without a gate and without a chain. */
  readonly openRoute: OpenRoute | undefined;
  /** False if no request is ever sent twice. */
  readonly repeats: boolean;
}

/** Checks and completes the options. @throws TypeError if one is invalid; the message names it and what is expected */
export function resolveConfig(config: RetryConfig = {}): Policy {
  const given = checkConfig(config);
  // A schedule ends itself.
  const all = { ...DEFAULT_RETRY_CONFIG, ...(given.backoff && { maxRetries: Infinity }), ...given };
  const { maxRetries, maxDelayMs, jitter, jitterFactor, retryableStatusCodes } = all;
  const { backoff, strategies } = resolveSchedules(given);
  for (const schedule of [{ maxAttempts: Infinity, backoff }, ...strategies.values()])
    refuseEndless(schedule.backoff, { ...all, maxRetries: Math.min(maxRetries, schedule.maxAttempts) });
  const repeats = maxRetries > 0 || given.fallback !== undefined;
  const attemptTimeoutMs = all.attemptTimeoutMs === Infinity ? undefined : all.attemptTimeoutMs;
  return {
    ...all,
    config: given,
    backoff,
    attemptTimeoutMs,
    // A copy of the defaults means what the defaults mean.
    retryableStatusCodes:
      retryableStatusCodes.join() === RETRYABLE_STATUS_CODES.join() ? null : [...retryableStatusCodes],
    maxRetryAfterMs: all.maxRetryAfterMs ?? maxDelayMs,
    hintSpread: jitter === 'none' ? 0 : jitterFactor,
    strategies,
    runtime: resolveRuntime(given.runtime ?? {}),
    openRoute: routeOf(given.gate, given.fallback),
    repeats,
  };
}

/** The options of `with(overrides)`; options that are not given are kept. */
export function mergeConfig(base: RetryConfig, overrides: RetryConfig): RetryConfig {
  return { ...base, ...givenOptions(expectConfig(overrides)) };
}

/** Each part is bound to its owner, because a runtime may be an instance of a class. */
function resolveRuntime(given: Readonly<Partial<Runtime>>): Required<Runtime> {
  const draw = given.random?.bind(given);
  return {
    now: given.now?.bind(given) ?? systemRuntime.now,
    monotonic: (given.monotonic ?? given.now)?.bind(given) ?? systemRuntime.monotonic,
    // A wait of NaN would end at once, before the time that the server asked for.
    random: draw === undefined ? systemRuntime.random : () => Math.min(Math.max(draw() || 0, 0), 1),
    sleep: given.sleep?.bind(given) ?? systemRuntime.sleep,
  };
}
