/** The options that every face has, checked once at creation and with all defaults filled in. */

import { RETRYABLE_STATUS_CODES } from '../classify/index.ts';
import type { RetryController } from '../events/controller.ts';
import type { RetryListener } from '../events/events.ts';
import { routeOf } from '../route/open-route.ts';
import type { OpenRoute } from '../route/route.ts';
import { type Given, givenOptions } from '../runtime/expect.ts';
import { type Runtime, systemRuntime } from '../runtime/runtime.ts';
import { type AnyConfig, DEFAULT_RETRY_CONFIG } from './config.ts';
import { checkConfig, expectConfig, type FaceName } from './rows.ts';
import { givenBeside, resolveSchedules, type Schedules } from './schedules.ts';

/** Checked and completed options. */
export interface Policy extends Schedules {
  /** The options that are given. */
  readonly config: Given<Partial<AnyConfig>>;
  readonly maxTotalDelayMs: number;
  readonly maxElapsedMs: number;
  readonly attemptTimeoutMs: number | undefined;
  /** null: the taxonomy decides. */
  readonly retryableStatusCodes: readonly number[] | null;
  readonly retryAfter: 'obey' | 'clamp' | 'ignore';
  /** What an accepted hint becomes. */
  readonly hintOf: (hintMs: number) => number;
  readonly maxRetryAfterMs: number;
  /** The share that jitter may add to a hint; 0 with jitter 'none', a function in `retryAfter`, and a gate. */
  readonly hintSpread: number;
  readonly waitForQuotaReset: boolean;
  /** The listeners. */
  readonly onEvent: readonly RetryListener[];
  readonly onRetry: readonly OnRetry[];
  readonly onExhausted: readonly OnExhausted[];
  readonly controllers: readonly RetryController[];
  readonly runtime: Required<Runtime>;
  /** Opens the route of a call; undefined without a gate and without a chain. */
  readonly openRoute: OpenRoute | undefined;
  /** False if no request is ever sent twice. */
  readonly repeats: boolean;
}

type OnRetry = NonNullable<AnyConfig['onRetry']>;
type OnExhausted = NonNullable<AnyConfig['onExhausted']>;

/** Checks and completes the options. @throws TypeError if one is invalid; the message names it and what is expected */
export function resolveConfig(face: FaceName, config: object = {}): Policy {
  const given = checkConfig(face, config);
  const schedules = resolveSchedules(given);
  const { maxRetries, jitter, jitterFactor } = schedules;
  const { retryAfter = 'obey', retryableStatusCodes = RETRYABLE_STATUS_CODES } = given;
  // A function has the last word, and a gate spreads the calls that wait for one hint.
  const spreadsHints = jitter !== 'none' && typeof retryAfter !== 'function' && given.gate === undefined;
  const attemptTimeoutMs = given.attemptTimeoutMs === Infinity ? undefined : given.attemptTimeoutMs;
  return {
    ...schedules,
    config: given,
    maxTotalDelayMs: given.maxTotalDelayMs ?? Infinity,
    maxElapsedMs: Math.max(0, given.maxElapsedMs ?? Infinity),
    attemptTimeoutMs,
    // A copy of the defaults means what the defaults mean.
    retryableStatusCodes:
      retryableStatusCodes.join() === RETRYABLE_STATUS_CODES.join() ? null : [...retryableStatusCodes],
    retryAfter: typeof retryAfter === 'function' ? 'obey' : retryAfter,
    hintOf: typeof retryAfter === 'function' ? retryAfter : asAsked,
    // Longer than the waits of our own only if that is said.
    maxRetryAfterMs: given.maxRetryAfterMs ?? given.maxDelayMs ?? DEFAULT_RETRY_CONFIG.maxDelayMs,
    hintSpread: spreadsHints ? jitterFactor : 0,
    waitForQuotaReset: given.waitForQuotaReset === true,
    onEvent: [given.onEvent ?? []].flat(),
    onRetry: [given.onRetry ?? []].flat(),
    onExhausted: [given.onExhausted ?? []].flat(),
    controllers: [given.controller ?? []].flat(),
    runtime: resolveRuntime(given.runtime ?? {}),
    openRoute: routeOf(given.gate, given.fallback),
    repeats: maxRetries > 0 || given.fallback !== undefined,
  };
}

const asAsked = (hintMs: number): number => hintMs;

/**
 * The policy of `with(overrides)`. What is not given is kept, also within `answers` and `strategies`; `undefined` takes
 * back; listeners and controllers are added; a schedule replaces the schedule, of whichever kind the two are.
 */
export function resolveWith<P extends Policy>(
  base: P,
  face: FaceName,
  overrides: object,
  resolve: (config: object) => P,
): P {
  // The overrides alone are checked first, so that a message names what the caller has written.
  checkConfig(face, overrides, true);
  const policy = resolve(mergeConfig(base.config, overrides));
  const kept = <T>(option: string, before: readonly T[], added: readonly T[]): readonly T[] =>
    Object.hasOwn(overrides, option) && Reflect.get(overrides, option) === undefined
      ? added
      : [...new Set([...before, ...added])];
  return {
    ...policy,
    onEvent: kept('onEvent', base.onEvent, policy.onEvent),
    onRetry: kept('onRetry', base.onRetry, policy.onRetry),
    onExhausted: kept('onExhausted', base.onExhausted, policy.onExhausted),
    controllers: kept('controller', base.controllers, policy.controllers),
  };
}

/** The options of `base`, and over them those of `overrides`. */
function mergeConfig(base: Partial<AnyConfig>, overrides: Partial<AnyConfig>): Partial<AnyConfig> {
  const changes = expectConfig(overrides);
  const given = givenOptions(changes);
  return {
    ...givenBeside(base, given),
    ...changes,
    ...(base.answers && given.answers && { answers: { ...base.answers, ...given.answers } }),
    ...(base.strategies && given.strategies && { strategies: { ...base.strategies, ...given.strategies } }),
  };
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
