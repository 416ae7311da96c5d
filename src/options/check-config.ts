/**
 * Checks the options when a fetch or a transport is created. A wrong number that is found only when a server is down
 * would be a retry storm.
 */

import { type Backoff, JITTERS } from './backoff.ts';
import type { RetryConfig } from './config.ts';
import { FOREIGN_NAMES } from './foreign-names.ts';
import { steeringOf } from '../events/steering.ts';
import {
  type Check,
  checkOptions,
  type Checks,
  expectFunction,
  expectObject,
  expectText,
  flag,
  type Given,
  hasMethods,
  headerName,
  is,
  isFunction,
  isText,
  number,
  oneOf,
} from '../runtime/expect.ts';
import { isFailureType } from '../failure/failure.ts';
import { SAFETIES } from './operation.ts';
import { hasRoute } from '../route/open-route.ts';
import { systemRuntime } from '../runtime/runtime.ts';

/** `Infinity` means no limit. */
const LIMIT = { max: Infinity };

/**
 * Checks every option that is given, and returns those.
 *
 * @param more Options beside those of `RetryConfig`.
 * @throws TypeError if an option is invalid; the message names it and what is expected
 */
export function checkConfig<C extends RetryConfig>(config: C, more: Checks = {}): Given<C> {
  return checkOptions('', expectConfig(config), { ...CHECKS, ...more }, FOREIGN_NAMES);
}

/** @throws TypeError for anything else than an object */
export function expectConfig<C extends RetryConfig>(config: C): C {
  return expectObject('config', config, 'an object such as { maxRetries: 3 }');
}

/**
 * Refuses a schedule without an end if no limit ends it, because a call to a dead server would never end.
 *
 * @throws TypeError; the message names the limits
 */
export function refuseEndless(
  backoff: Backoff,
  limits: { readonly maxRetries: number; readonly maxTotalDelayMs: number; readonly maxElapsedMs: number },
): void {
  if (limits.maxRetries !== Infinity || limits.maxElapsedMs !== Infinity) return;
  const far = delayFarAway(backoff);
  if (far === undefined || (far > 0 && limits.maxTotalDelayMs !== Infinity)) return;
  throw new TypeError(
    'Expected a schedule that ends: set `maxTotalDelayMs`, `maxElapsedMs` or a finite `maxRetries`, or give stepped(…) a `budgetMs` or `tailMs: null`.',
  );
}

function delayFarAway(backoff: Backoff): number | undefined {
  try {
    return backoff.delayFor(2 ** 31, { random: () => 0.5 });
  } catch {
    // A custom schedule may know only its own steps.
    return undefined;
  }
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isStatus = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 999;
const isMethod = (value: unknown): boolean => isText(value) && value === value.toUpperCase();
const isListOf =
  (holds: (member: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(holds);

const flagOr = (word: string): Check => is(`true, false or '${word}'`, (value) => isBoolean(value) || value === word);
const textOrFunction = /* @__PURE__ */ is('a string or a function', (value) => isText(value) || isFunction(value));

function expectGuard(name: string, value: unknown): void {
  if (isBoolean(value)) return;
  const limits = expectObject(name, value, 'a boolean or { until, maxHoldMs, maxHoldBytes }');
  checkOptions(`${name}.`, limits, {
    until: oneOf(['content', 'text', 'end']),
    maxHoldMs: number(LIMIT),
    maxHoldBytes: number(LIMIT),
  });
}

/** A runtime may be an instance of a class, so its parts may be inherited, and it may have any other member. */
function expectRuntime(name: string, value: unknown): void {
  const runtime = expectObject(name, value, 'an object such as { now, random, sleep }');
  for (const part of Object.keys(systemRuntime)) {
    const given: unknown = Reflect.get(runtime, part);
    if (given !== undefined) expectFunction(`${name}.${part}`, given);
  }
}

function expectStrategies(name: string, value: unknown): void {
  const shape = 'an object such as { maxAttempts: 5 }';
  for (const [type, strategy] of Object.entries(expectObject(name, value, shape))) {
    if (!isFailureType(type))
      throw new TypeError(`Expected the keys of \`${name}\` to be failure types, got "${type}".`);
    if (strategy === undefined) continue;
    checkOptions(`${name}.${type}.`, expectObject(`${name}.${type}`, strategy, shape), {
      maxAttempts: number({ min: 1, integer: true, ...LIMIT }),
      initialDelayMs: number(),
      maxDelayMs: number(LIMIT),
      multiplier: number({ min: 1 }),
      jitter: oneOf(JITTERS),
      respectRetryAfter: flag,
      fallback: flag,
    });
  }
}

/** Each option and what it may be. In a function, for bundlers keep a table that is made of calls. */
const CHECKS = /* @__PURE__ */ makeChecks();

function makeChecks(): { readonly [K in keyof RetryConfig]-?: Check } {
  return {
    maxRetries: number({ integer: true, ...LIMIT }),
    baseDelayMs: number(),
    maxDelayMs: number(LIMIT),
    backoffMultiplier: number({ min: 1 }),
    jitter: oneOf(JITTERS),
    jitterFactor: number({ max: 1 }),
    backoff: is('exponential(…), stepped([…]) or your own { delayFor(retry) }', hasMethods('delayFor')),
    maxTotalDelayMs: number(LIMIT),
    maxElapsedMs: number(LIMIT),
    attemptTimeoutMs: number({ min: 1, ...LIMIT }),
    retryableStatusCodes: is('an array of statuses such as [429, 503]', isListOf(isStatus)),
    retryAfter: oneOf(['obey', 'clamp', 'ignore']),
    maxRetryAfterMs: number(LIMIT),
    retryAfterPaddingFactor: number(),
    retryOnly: is("'model-requests' or a function", (value) => value === 'model-requests' || isFunction(value)),
    methods: is('an array of methods in upper case, such as ["GET", "POST"]', isListOf(isMethod)),
    retryUnknownErrors: flag,
    waitForQuotaReset: flag,
    strategies: expectStrategies,
    classify: expectFunction,
    shouldRetry: expectFunction,
    guardStreams: expectGuard,
    guardJson: flagOr('model-requests'),
    streamWatch: is('createStreamWatch()', hasMethods('watch')),
    operation: textOrFunction,
    unknownOperation: oneOf(SAFETIES),
    retryIrreversible: flag,
    rollback: expectFunction,
    idempotencyKeyHeader: headerName,
    attemptHeader: headerName,
    throwOnExhausted: flag,
    markFinalResponse: flagOr('permanent'),
    fallback: is('createFallback({ targets }) or createKeyRotation({ keys })', hasRoute),
    gate: is('createGate() or what presets.fleet() brings', hasMethods('session')),
    priority: oneOf(['interactive', 'batch']),
    gateKey: expectText,
    controller: (_name, value) => steeringOf(value),
    requestId: textOrFunction,
    onRetry: expectFunction,
    onExhausted: expectFunction,
    onEvent: expectFunction,
    runtime: expectRuntime,
  };
}
