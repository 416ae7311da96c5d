/**
 * What each option may be. One that cannot be is refused when it is said, by its name and with what would do, for a
 * mistyped number that is found when a server is down is a retry storm.
 */

import { type Backoff, JITTERS } from './backoff.ts';
import type { RetryConfig } from './config.ts';
import { RetryController } from '../events/controller.ts';
import { expectNumber, expectOneOf, mismatch, type NumberRange } from '../failure/expect.ts';
import { FAILURES, type FailureType } from '../failure/failure.ts';

type Option = keyof RetryConfig;
type Check = (name: string, value: unknown) => unknown;

const FAR_RETRY = 0x8000_0000;
/** Infinity is no limit. */
const LIMIT = { allowInfinity: true };

/** Checks every option that is said. @throws TypeError that names the option and what it expects */
export function checkConfig(config: RetryConfig): void {
  is('an object such as { maxRetries: 3 }', isObject)('config', config);
  const check = (verify: Check, ...names: readonly Option[]): void => {
    for (const name of names) if (config[name] !== undefined) verify(name, config[name]);
  };
  check(number({ integer: true, ...LIMIT }), 'maxRetries');
  check(number(), 'baseDelayMs', 'retryAfterPaddingFactor');
  check(number(LIMIT), 'maxDelayMs', 'maxRetryAfterMs', 'maxTotalDelayMs', 'maxElapsedMs');
  check(number({ min: 1, ...LIMIT }), 'attemptTimeoutMs');
  check(number({ min: 1 }), 'backoffMultiplier');
  check(number({ max: 1 }), 'jitterFactor');
  check(oneOf(JITTERS), 'jitter');
  check(oneOf(['obey', 'clamp', 'ignore']), 'retryAfter');
  check(oneOf(['safe', 'conditional', 'irreversible']), 'unknownOperation');
  check(flag, 'guardJson', 'retryIrreversible', 'throwOnExhausted', 'retryUnknownErrors');
  check(is('a function', isFunction), 'classify', 'shouldRetry', 'rollback', 'onRetry', 'onExhausted', 'onEvent');
  check(
    is('a string or a function', (value) => typeof value === 'string' || isFunction(value)),
    'operation',
    'requestId',
  );
  check(is('a header name such as "x-retry-count"', isHeaderName), 'idempotencyKeyHeader', 'attemptHeader');
  check(is('an array of statuses such as [429, 503]', isStatusList), 'retryableStatusCodes');
  check(is('an array of methods such as ["GET", "POST"]', isMethodList), 'methods');
  check(oneOf(['interactive', 'batch']), 'priority');
  check(
    is('a text', (value) => typeof value === 'string'),
    'gateKey',
  );
  check(
    is("true, false or 'permanent'", (value) => typeof value === 'boolean' || value === 'permanent'),
    'markFinalResponse',
  );
  check(expectGuard, 'guardStreams');
  check(expectRuntime, 'runtime');
  check(expectStrategies, 'strategies');
  check(is('exponential(…), stepped([…]) or your own { delayFor(retry) }', hasMethod('delayFor')), 'backoff');
  check(is('createFallback({ targets }) or createKeyRotation({ keys })', hasMethod('next')), 'fallback');
  check(is('createGate() or what presets.fleet() brings', hasMethod('session')), 'gate');
  check(
    is('a RetryController', (value) => value instanceof RetryController),
    'controller',
  );
}

/**
 * A schedule without an end needs one from elsewhere, or a dead server is asked for ever.
 *
 * @throws TypeError that names the limits
 */
export function refuseEndless(
  backoff: Backoff,
  limits: { readonly maxRetries: number; readonly maxTotalDelayMs: number; readonly maxElapsedMs: number },
): void {
  if (limits.maxRetries !== Number.POSITIVE_INFINITY || limits.maxElapsedMs !== Number.POSITIVE_INFINITY) return;
  const far = backoff.delayFor(FAR_RETRY, { random: () => 0.5 });
  if (far === undefined || (far > 0 && limits.maxTotalDelayMs !== Number.POSITIVE_INFINITY)) return;
  throw new TypeError(
    'Expected a schedule that ends: set `maxRetries`, `maxTotalDelayMs` or `maxElapsedMs`, or give stepped(…) a `budgetMs` or `tailMs: null`.',
  );
}

const is =
  (expected: string, holds: (value: unknown) => boolean): Check =>
  (name, value) => {
    if (!holds(value)) throw new TypeError(mismatch(name, expected, value));
  };
const number =
  (range?: NumberRange): Check =>
  (name, value) =>
    expectNumber(name, value, range);
const oneOf =
  (words: readonly string[]): Check =>
  (name, value) =>
    expectOneOf(name, value, words);

const flag = /* @__PURE__ */ is('true or false', (value) => typeof value === 'boolean');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isFunction = (value: unknown): boolean => typeof value === 'function';
const hasMethod =
  (method: string) =>
  (value: unknown): boolean =>
    isObject(value) && isFunction(Reflect.get(value, method));

function isHeaderName(value: unknown): boolean {
  return typeof value === 'string' && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value);
}

function isStatusList(value: unknown): boolean {
  return Array.isArray(value) && value.every((code) => Number.isInteger(code) && code >= 100 && code <= 999);
}

function isMethodList(value: unknown): boolean {
  return Array.isArray(value) && value.every((method) => typeof method === 'string' && method === method.toUpperCase());
}

export function isFailureType(name: string): name is FailureType {
  return Object.hasOwn(FAILURES, name);
}

/** Checks the members that are said of an object. */
function checkMembers(owner: string, value: object, checks: Readonly<Record<string, Check>>): void {
  for (const [name, check] of Object.entries(checks)) {
    const given: unknown = Reflect.get(value, name);
    if (given !== undefined) check(`${owner}.${name}`, given);
  }
}

function expectGuard(name: string, value: unknown): void {
  is('a boolean or { maxHoldMs, maxHoldBytes }', (guard) => typeof guard === 'boolean' || isObject(guard))(name, value);
  if (isObject(value)) checkMembers(name, value, { maxHoldMs: number(LIMIT), maxHoldBytes: number(LIMIT) });
}

function expectRuntime(name: string, value: unknown): void {
  const part = is('a function', isFunction);
  is('an object such as { now, random, sleep }', isObject)(name, value);
  if (isObject(value)) checkMembers(name, value, { now: part, random: part, sleep: part, monotonic: part });
}

function expectStrategies(name: string, value: unknown): void {
  const shape = is('an object such as { maxAttempts: 5 }', isObject);
  shape(name, value);
  for (const [type, strategy] of isObject(value) ? Object.entries(value) : []) {
    if (!isFailureType(type))
      throw new TypeError(`Expected the keys of \`${name}\` to be failure types, got "${type}".`);
    if (strategy === undefined) continue;
    shape(`${name}.${type}`, strategy);
    checkMembers(`${name}.${type}`, strategy, {
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
