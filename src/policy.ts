/**
 * The options after one check at creation: every question answered, so that nothing is looked up while a call is in
 * trouble, and a mistyped number is an error with a name and not a retry storm.
 */

import { type Backoff, exponential } from './backoff.ts';
import { RETRYABLE_STATUS_CODES } from './classify/index.ts';
import { DEFAULT_RETRY_CONFIG, type GuardLimits, type RetryConfig } from './config.ts';
import { RetryController } from './controller.ts';
import { expectNumber } from './expect.ts';
import { FAILURES, type FailureType, type Strategy } from './failure.ts';
import { type OperationSafety, safetyOf } from './operation.ts';
import { type Runtime, systemRuntime } from './runtime.ts';

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
  /** How far a hint is spread: 0 with jitter 'none'. */
  readonly hintSpread: number;
  readonly strategies: ReadonlyMap<FailureType, ResolvedStrategy>;
  readonly guard: Readonly<Required<{ maxHoldMs: number; maxHoldBytes: number }>> | null;
  readonly guardJson: boolean;
  readonly runtime: Runtime;
  /** True where an attempt needs more than the caller's own arguments: a limit, a header. */
  readonly alters: boolean;
  /** False where no request is ever sent twice. */
  readonly repeats: boolean;
}

/** A strategy with its schedule. */
export interface ResolvedStrategy {
  readonly maxAttempts: number;
  readonly respectRetryAfter: boolean;
  readonly fallback: boolean;
  readonly backoff: Backoff;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FAR_RETRY = 2 ** 31;
const JITTERS = ['none', 'symmetric', 'full', 'down'];
/** Infinity is no limit. */
const LIMIT = { allowInfinity: true };

/** Checks and completes what the caller said. @throws TypeError that names the option and what it expects */
export function resolveConfig(config: RetryConfig = {}): Policy {
  if (typeof config !== 'object' || config === null) refuse('config', 'an object such as { maxRetries: 3 }', config);
  const given = withoutUndefined(config);
  const all = { ...DEFAULT_RETRY_CONFIG, ...given };
  const { jitter, jitterFactor } = all;
  oneOf('jitter', jitter, JITTERS);
  oneOf('retryAfter', all.retryAfter, ['obey', 'clamp', 'ignore']);
  oneOf('unknownOperation', given.unknownOperation ?? 'safe', ['safe', 'conditional', 'irreversible']);
  for (const name of ['maxDelayMs', 'maxTotalDelayMs', 'maxElapsedMs'] as const) expectNumber(name, all[name], LIMIT);
  expectNumber('jitterFactor', jitterFactor, { max: 1 });
  expectNumber('retryAfterPaddingFactor', all.retryAfterPaddingFactor);
  const maxRetryAfterMs = expectNumber('maxRetryAfterMs', given.maxRetryAfterMs ?? all.maxDelayMs, LIMIT);
  if (given.attemptTimeoutMs !== undefined)
    expectNumber('attemptTimeoutMs', given.attemptTimeoutMs, { ...LIMIT, min: 1 });
  expectNumber('backoffMultiplier', all.backoffMultiplier, { min: 1 });
  const backoff =
    given.backoff ??
    exponential({
      baseDelayMs: all.baseDelayMs,
      maxDelayMs: all.maxDelayMs,
      multiplier: all.backoffMultiplier,
      jitter,
      jitterFactor,
    });
  if (typeof backoff.delayFor !== 'function') {
    throw new TypeError('Expected `backoff` to have a `delayFor(retry)`; use exponential(…) or stepped([…]).');
  }
  const maxRetries =
    given.maxRetries ??
    (given.backoff === undefined || given.backoff === null ? all.maxRetries : Number.POSITIVE_INFINITY);
  expectNumber('maxRetries', maxRetries, { ...LIMIT, integer: true });
  for (const name of ['classify', 'shouldRetry', 'rollback', 'onRetry', 'onExhausted', 'onEvent'] as const)
    expectFunction(name, given[name]);
  for (const name of ['now', 'random', 'sleep'] as const) expectFunction(`runtime.${name}`, given.runtime?.[name]);
  for (const name of ['operation', 'requestId'] as const) {
    const label = given[name];
    if (label !== undefined && typeof label !== 'string') expectFunction(name, label, 'a string or a function');
  }
  if (given.controller !== undefined && !(given.controller instanceof RetryController)) {
    refuse('controller', 'a RetryController', typeof given.controller);
  }
  if (given.fallback !== undefined && typeof given.fallback?.next !== 'function') {
    throw new TypeError(
      'Expected `fallback` to be a chain; use createFallback({ targets }) or createKeyRotation({ keys }).',
    );
  }
  for (const name of ['idempotencyKeyHeader', 'attemptHeader'] as const) {
    const header = given[name];
    if (header !== undefined && (typeof header !== 'string' || !HEADER_NAME.test(header))) {
      refuse(name, 'a header name such as "x-retry-count"', JSON.stringify(header));
    }
  }
  const codes = all.retryableStatusCodes;
  if (!Array.isArray(codes) || !codes.every((code) => Number.isInteger(code) && code >= 100 && code <= 999)) {
    throw new TypeError('Expected `retryableStatusCodes` to be an array of statuses such as [429, 503].');
  }
  const strategies = resolveStrategies(given.strategies, given.maxDelayMs ?? Number.POSITIVE_INFINITY, jitterFactor);
  const { maxTotalDelayMs, maxElapsedMs } = all;
  for (const schedule of [backoff, ...endlessSchedules(strategies)]) {
    refuseEndless({ maxRetries, backoff: schedule, maxTotalDelayMs, maxElapsedMs });
  }
  return {
    config: given,
    maxRetries,
    backoff,
    maxDelayMs: all.maxDelayMs,
    maxTotalDelayMs,
    maxElapsedMs,
    attemptTimeoutMs: given.attemptTimeoutMs === Number.POSITIVE_INFINITY ? undefined : given.attemptTimeoutMs,
    retryableStatusCodes: codes === RETRYABLE_STATUS_CODES ? null : [...codes],
    retryAfter: all.retryAfter,
    maxRetryAfterMs,
    retryAfterPaddingFactor: all.retryAfterPaddingFactor,
    hintSpread: jitter === 'none' ? 0 : jitterFactor,
    strategies,
    guard: resolveGuard(all.guardStreams),
    guardJson: all.guardJson,
    runtime: resolveRuntime(given.runtime ?? {}),
    alters:
      given.attemptTimeoutMs !== undefined ||
      given.attemptHeader !== undefined ||
      given.idempotencyKeyHeader !== undefined ||
      given.fallback?.choose !== undefined,
    repeats: maxRetries > 0 || given.fallback !== undefined,
  };
}

/** The options of `with(overrides)`: what is not said stays as it was. */
export function mergeConfig(base: RetryConfig, overrides: RetryConfig): RetryConfig {
  return { ...base, ...withoutUndefined(overrides) };
}

/** The safety of what a request does, by its label. */
export function operationSafety(
  { config: { operation, unknownOperation = 'irreversible' } }: Policy,
  request: { readonly identity: { readonly method: string; readonly url: string } },
): OperationSafety {
  if (operation === undefined) return 'safe';
  return safetyOf(typeof operation === 'function' ? operation(request.identity) : operation, unknownOperation);
}

function resolveStrategies(
  strategies: RetryConfig['strategies'],
  maxDelayMs: number,
  jitterFactor: number,
): ReadonlyMap<FailureType, ResolvedStrategy> {
  const resolved = new Map<FailureType, ResolvedStrategy>();
  for (const [name, override] of Object.entries(strategies ?? {})) {
    const type = Object.keys(FAILURES).find((known): known is FailureType => known === name);
    if (type === undefined)
      throw new TypeError(`Expected the keys of \`strategies\` to be failure types, got "${name}".`);
    if (override === undefined) continue;
    const strategy: Strategy = {
      maxAttempts: 1,
      initialDelayMs: 0,
      maxDelayMs: 60_000,
      multiplier: 1,
      jitter: 'none',
      respectRetryAfter: true,
      fallback: FAILURES[type].fallback,
      ...FAILURES[type].strategy,
      ...withoutUndefined(override),
    };
    const label = `strategies.${name}`;
    expectNumber(`${label}.maxAttempts`, strategy.maxAttempts, { ...LIMIT, min: 1, integer: true });
    expectNumber(`${label}.initialDelayMs`, strategy.initialDelayMs);
    expectNumber(`${label}.maxDelayMs`, strategy.maxDelayMs, LIMIT);
    expectNumber(`${label}.multiplier`, strategy.multiplier, { min: 1 });
    oneOf(`${label}.jitter`, strategy.jitter, JITTERS);
    resolved.set(type, {
      maxAttempts: strategy.maxAttempts,
      respectRetryAfter: strategy.respectRetryAfter,
      fallback: strategy.fallback,
      backoff: exponential({
        baseDelayMs: strategy.initialDelayMs,
        maxDelayMs: Math.min(strategy.maxDelayMs, maxDelayMs),
        multiplier: strategy.multiplier,
        jitter: strategy.jitter,
        jitterFactor,
      }),
    });
  }
  return resolved;
}

/** Each part on its own, bound to its owner: a runtime may be an instance of a class. */
function resolveRuntime(given: Readonly<Partial<Runtime>>): Runtime {
  const runtime = { ...systemRuntime };
  if (given.now !== undefined) runtime.now = given.now.bind(given);
  if (given.random !== undefined) runtime.random = given.random.bind(given);
  if (given.sleep !== undefined) runtime.sleep = given.sleep.bind(given);
  return runtime;
}

function resolveGuard(option: boolean | GuardLimits): Policy['guard'] {
  if (option === false) return null;
  if (option !== true && (typeof option !== 'object' || option === null)) {
    refuse('guardStreams', 'a boolean or { maxHoldMs, maxHoldBytes }', option);
  }
  const { maxHoldMs = 30_000, maxHoldBytes = 262_144 } = option === true ? {} : option;
  expectNumber('guardStreams.maxHoldMs', maxHoldMs, LIMIT);
  expectNumber('guardStreams.maxHoldBytes', maxHoldBytes, LIMIT);
  return { maxHoldMs, maxHoldBytes };
}

/** A schedule without an end needs one from elsewhere, or a dead server is asked for ever. */
function refuseEndless(policy: Pick<Policy, 'maxRetries' | 'backoff' | 'maxTotalDelayMs' | 'maxElapsedMs'>): void {
  if (policy.maxRetries !== Number.POSITIVE_INFINITY || policy.maxElapsedMs !== Number.POSITIVE_INFINITY) return;
  const far = policy.backoff.delayFor(FAR_RETRY, { random: () => 0.5 });
  if (far === undefined || (far > 0 && policy.maxTotalDelayMs !== Number.POSITIVE_INFINITY)) return;
  throw new TypeError(
    'Expected a schedule that ends: set `maxRetries`, `maxTotalDelayMs` or `maxElapsedMs`, or give stepped(…) a `budgetMs` or `tailMs: null`.',
  );
}

/** A strategy that does not count its attempts is as long as its schedule. */
function endlessSchedules(strategies: ReadonlyMap<FailureType, ResolvedStrategy>): readonly Backoff[] {
  return [...strategies.values()]
    .filter(({ maxAttempts }) => maxAttempts === Number.POSITIVE_INFINITY)
    .map(({ backoff }) => backoff);
}

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(options: T): Given<T> {
  const kept: Partial<Given<T>> = {};
  for (const key in options) {
    const value = options[key];
    if (value !== undefined) kept[key] = value as Given<T>[typeof key];
  }
  return kept as Given<T>;
}

function oneOf(name: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value === 'string' && allowed.includes(value)) return;
  refuse(name, `one of ${allowed.join(', ')}`, value);
}

function expectFunction(name: string, value: unknown, words = 'a function'): void {
  if (value !== undefined && typeof value !== 'function') {
    refuse(name, words, typeof value);
  }
}

function refuse(name: string, expected: string, got: unknown): never {
  throw new TypeError(`Expected \`${name}\` to be ${expected}, got ${String(got)}.`);
}
