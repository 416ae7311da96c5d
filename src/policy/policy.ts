/** The options, checked once at creation and with all defaults filled in. */

import { type Backoff, exponential } from './backoff.ts';
import {
  checkConfig,
  type Checks,
  isFailureType,
  ownOptions,
  refuseEndless,
  withoutUndefined,
} from './check-config.ts';
import { RETRYABLE_STATUS_CODES } from '../classify/index.ts';
import { DEFAULT_RETRY_CONFIG, type GuardLimits, type RetryConfig } from './config.ts';
import { FAILURES, type FailureType, type Strategy } from '../failure/failure.ts';
import { knownSafety, type OperationSafety, safetyOf } from './operation.ts';
import type { OpenRoute } from '../route/route.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';

/** A checked and completed {@link RetryConfig}. */
export interface Policy {
  readonly config: RetryConfig;
  readonly maxRetries: number;
  readonly backoff: Backoff;
  readonly maxDelayMs: number;
  readonly maxTotalDelayMs: number;
  readonly maxElapsedMs: number;
  readonly attemptTimeoutMs: number | undefined;
  /** null: the taxonomy decides. */
  readonly retryableStatusCodes: readonly number[] | null;
  readonly retryAfter: 'obey' | 'clamp' | 'ignore';
  readonly maxRetryAfterMs: number;
  readonly retryAfterPaddingFactor: number;
  /** The share that jitter may add to a hint; 0 with jitter 'none'. */
  readonly hintSpread: number;
  readonly strategies: ReadonlyMap<FailureType, ResolvedStrategy>;
  readonly guard: Readonly<Required<{ maxHoldMs: number; maxHoldBytes: number }>> | null;
  readonly guardJson: boolean;
  readonly runtime: Required<Runtime>;
  /** What the gate or the chain brings; undefined without one. */
  readonly openRoute: OpenRoute | undefined;
  /** Whether the first attempt needs more than a plain call: a time limit, an idempotency key, or a chosen target. */
  readonly plansFirst: boolean;
  /** False if no request is ever sent twice. */
  readonly repeats: boolean;
  /** False if no retry and no listener would use what the body of a failure says. */
  readonly readsBodies: boolean;
}

/** A strategy with its schedule. */
export interface ResolvedStrategy {
  readonly maxAttempts: number;
  readonly respectRetryAfter: boolean;
  readonly fallback: boolean;
  readonly backoff: Backoff;
}

/** Checks and completes the options. @throws TypeError if one is invalid; the message names it and what is expected */
export function resolveConfig(config: RetryConfig = {}, more?: Checks): Policy {
  checkConfig(config, more);
  const given = ownOptions(config);
  const all = { ...DEFAULT_RETRY_CONFIG, ...given };
  const { baseDelayMs, maxDelayMs, backoffMultiplier: multiplier, jitter, jitterFactor } = all;
  const { maxTotalDelayMs, maxElapsedMs, retryableStatusCodes, attemptTimeoutMs } = all;
  const backoff = given.backoff ?? exponential({ baseDelayMs, maxDelayMs, multiplier, jitter, jitterFactor });
  const maxRetries = given.maxRetries ?? (given.backoff === undefined ? all.maxRetries : Infinity);
  const strategies = resolveStrategies(given.strategies, given.maxDelayMs ?? Infinity, jitterFactor);
  // Only schedules without a limit on attempts can be endless.
  for (const schedule of [{ maxAttempts: Infinity, backoff }, ...strategies.values()])
    if (schedule.maxAttempts === Infinity)
      refuseEndless(schedule.backoff, { maxRetries, maxTotalDelayMs, maxElapsedMs });
  const repeats = maxRetries > 0 || given.fallback !== undefined;
  const limitMs = attemptTimeoutMs === Infinity ? undefined : attemptTimeoutMs;
  // If no retry can follow, a response is not held to look for a failure inside it.
  const looks = repeats || given.gate !== undefined;
  return {
    config: given,
    maxRetries,
    backoff,
    maxDelayMs,
    maxTotalDelayMs,
    maxElapsedMs,
    attemptTimeoutMs: limitMs,
    retryableStatusCodes: retryableStatusCodes === RETRYABLE_STATUS_CODES ? null : [...retryableStatusCodes],
    retryAfter: all.retryAfter,
    maxRetryAfterMs: all.maxRetryAfterMs ?? maxDelayMs,
    retryAfterPaddingFactor: all.retryAfterPaddingFactor,
    hintSpread: jitter === 'none' ? 0 : jitterFactor,
    strategies,
    guard: looks ? resolveGuard(all.guardStreams) : null,
    guardJson: looks && all.guardJson,
    runtime: resolveRuntime(given.runtime ?? {}),
    openRoute: (given.gate ?? given.fallback)?.openRoute,
    plansFirst:
      limitMs !== undefined || given.idempotencyKeyHeader !== undefined || given.fallback?.choose !== undefined,
    repeats,
    readsBodies: looks || BODY_READERS.some((option) => given[option] !== undefined),
  };
}

/** The options that use the detail of a failure, beside a retry. */
const BODY_READERS = [
  'onRetry',
  'onExhausted',
  'onEvent',
  'controller',
  'classify',
  'throwOnExhausted',
  'markFinalResponse',
] as const;

/** The options of `with(overrides)`; options that are not given are kept. */
export function mergeConfig(base: RetryConfig, overrides: RetryConfig): RetryConfig {
  return { ...base, ...withoutUndefined(overrides) };
}

interface LabelledRequest {
  readonly identity: { readonly method: string; readonly url: string };
}

/** Whether a request may be repeated, by its label. */
export function operationSafety({ config }: Policy, request: LabelledRequest): OperationSafety {
  const label = labelOf(config, request);
  return label === undefined ? 'safe' : safetyOf(label, config.unknownOperation ?? 'irreversible');
}

/** The label of a request, where it is not known and so keeps the request from being repeated. */
export function unknownLabel({ config }: Policy, request: LabelledRequest): string | undefined {
  const label = labelOf(config, request);
  const isKnown = label === undefined || config.unknownOperation !== undefined || knownSafety(label) !== undefined;
  return isKnown ? undefined : label;
}

/** undefined without the option. A function in JavaScript may return anything. */
function labelOf({ operation }: RetryConfig, request: LabelledRequest): string | undefined {
  if (operation === undefined) return undefined;
  const label: unknown = typeof operation === 'function' ? operation(request.identity) : operation;
  return String(label);
}

function resolveStrategies(
  strategies: RetryConfig['strategies'],
  maxDelayMs: number,
  jitterFactor: number,
): ReadonlyMap<FailureType, ResolvedStrategy> {
  const resolved = new Map<FailureType, ResolvedStrategy>();
  for (const [type, override] of Object.entries(strategies ?? {})) {
    if (!isFailureType(type) || override === undefined) continue;
    const { strategy, fallback: fallsBack } = FAILURES[type];
    const { maxAttempts, respectRetryAfter, fallback, initialDelayMs, multiplier, jitter, ...own } = {
      ...(strategy ?? { ...NO_STRATEGY, fallback: fallsBack }),
      ...withoutUndefined(override),
    };
    const backoff = exponential({
      baseDelayMs: initialDelayMs,
      maxDelayMs: Math.min(own.maxDelayMs, maxDelayMs),
      multiplier,
      jitter,
      jitterFactor,
    });
    resolved.set(type, { maxAttempts, respectRetryAfter, fallback, backoff });
  }
  return resolved;
}

/** The defaults for a type of failure without a row of its own. */
const NO_STRATEGY: Omit<Strategy, 'fallback'> = {
  maxAttempts: 1,
  initialDelayMs: 0,
  maxDelayMs: 60_000,
  multiplier: 1,
  jitter: 'none',
  respectRetryAfter: true,
};

/** Each part is bound to its owner, because a runtime may be an instance of a class. */
function resolveRuntime(given: Readonly<Partial<Runtime>>): Required<Runtime> {
  const runtime = { ...systemRuntime };
  if (given.now !== undefined) runtime.now = given.now.bind(given);
  if (given.monotonic !== undefined) runtime.monotonic = given.monotonic.bind(given);
  else if (given.now !== undefined) runtime.monotonic = runtime.now;
  if (given.random !== undefined) {
    const draw = given.random.bind(given);
    // A wait of NaN would end at once, before the time that the server asked for.
    runtime.random = () => Math.min(Math.max(draw() || 0, 0), 1);
  }
  if (given.sleep !== undefined) runtime.sleep = given.sleep.bind(given);
  return runtime;
}

function resolveGuard(option: boolean | GuardLimits): Policy['guard'] {
  if (option === false) return null;
  const { maxHoldMs = 30_000, maxHoldBytes = 262_144 } = option === true ? {} : option;
  return { maxHoldMs, maxHoldBytes };
}
