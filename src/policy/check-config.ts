/**
 * Checks the options when a fetch or a transport is created. A wrong number that is found only when a server is down
 * would be a retry storm.
 */

import { type Backoff, JITTERS } from './backoff.ts';
import type { RetryConfig } from './config.ts';
import { isController } from '../events/steering.ts';
import { expectNumber, expectOneOf, mismatch, type NumberRange } from '../failure/expect.ts';
import { FAILURES, type FailureType } from '../failure/failure.ts';

type Option = keyof RetryConfig;
type Check = (name: string, value: unknown) => unknown;
/** What each option may be. */
export type Checks = Readonly<Record<string, Check>>;

const FAR_RETRY = 0x8000_0000;
/** `Infinity` means no limit. */
const LIMIT = { allowInfinity: true };

/**
 * Checks every option that is given. Only own properties are options; otherwise parsed JSON with a `__proto__` could
 * switch off what protects the caller.
 *
 * @param more Options beside those of `RetryConfig`.
 * @throws TypeError if an option is invalid; the message names it and what is expected
 */
export function checkConfig(config: RetryConfig, more: Checks = {}): void {
  is('an object such as { maxRetries: 3 }', isObject)('config', config);
  const checks: Checks = { ...CHECKS, ...more };
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(checks, name)) refuseMisspelt(name, Object.keys(checks));
    else if (value !== undefined) checks[name]?.(name, value);
  }
}

/** Whether an option has this name. */
export function isOption(name: string): name is Option {
  return Object.hasOwn(CHECKS, name);
}

/** @throws TypeError if the name is at most two letters away from that of an option; any other name is ignored */
function refuseMisspelt(name: string, options: readonly string[], owner = ''): void {
  // Two letters are too many in a short name.
  const meant = options.find((option) => lettersBetween(name, option) <= (option.length < 6 ? 1 : 2));
  if (meant !== undefined) throw new TypeError(`Unknown option \`${owner}${name}\`. Did you mean \`${meant}\`?`);
}

/** The letters to add, remove or change to get from one name to the other; 3 if the lengths differ by more than two. */
function lettersBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let at = 0; at < other.length; at += 1) {
      const changed = (row[at] ?? 0) + (one[index] === other[at] ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
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
export const expectFunction: Check = /* @__PURE__ */ is('a function', isFunction);
const expectTextOrFunction = /* @__PURE__ */ is(
  'a string or a function',
  (value) => typeof value === 'string' || isFunction(value),
);
const expectHeaderName = /* @__PURE__ */ is('a header name such as "x-retry-count"', (value) => isHeaderName(value));
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

/** Checks the members of an object that are given. */
function checkMembers(owner: string, value: object, checks: Checks): void {
  for (const [name, check] of Object.entries(checks)) {
    const given: unknown = Reflect.get(value, name);
    if (given !== undefined) check(`${owner}.${name}`, given);
  }
}

/** Also refuses misspelt members. Not for a `runtime`, which may be any object with a clock. */
function checkOptions(owner: string, value: object, checks: Checks): void {
  const names = Object.keys(checks);
  for (const name of Object.keys(value)) if (!names.includes(name)) refuseMisspelt(name, names, `${owner}.`);
  checkMembers(owner, value, checks);
}

function expectGuard(name: string, value: unknown): void {
  is('a boolean or { maxHoldMs, maxHoldBytes }', (guard) => typeof guard === 'boolean' || isObject(guard))(name, value);
  if (isObject(value)) checkOptions(name, value, { maxHoldMs: number(LIMIT), maxHoldBytes: number(LIMIT) });
}

function expectRuntime(name: string, value: unknown): void {
  is('an object such as { now, random, sleep }', isObject)(name, value);
  const part = expectFunction;
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
    checkOptions(`${name}.${type}`, strategy, {
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
const CHECKS: { readonly [K in Option]-?: Check } = /* @__PURE__ */ (() => ({
  maxRetries: number({ integer: true, ...LIMIT }),
  baseDelayMs: number(),
  maxDelayMs: number(LIMIT),
  backoffMultiplier: number({ min: 1 }),
  jitter: oneOf(JITTERS),
  jitterFactor: number({ max: 1 }),
  backoff: is('exponential(…), stepped([…]) or your own { delayFor(retry) }', hasMethod('delayFor')),
  maxTotalDelayMs: number(LIMIT),
  maxElapsedMs: number(LIMIT),
  attemptTimeoutMs: number({ min: 1, ...LIMIT }),
  retryableStatusCodes: is('an array of statuses such as [429, 503]', isStatusList),
  retryAfter: oneOf(['obey', 'clamp', 'ignore']),
  maxRetryAfterMs: number(LIMIT),
  retryAfterPaddingFactor: number(),
  methods: is('an array of methods in upper case, such as ["GET", "POST"]', isMethodList),
  retryUnknownErrors: flag,
  strategies: expectStrategies,
  classify: expectFunction,
  shouldRetry: expectFunction,
  guardStreams: expectGuard,
  guardJson: flag,
  operation: expectTextOrFunction,
  unknownOperation: oneOf(['safe', 'conditional', 'irreversible']),
  retryIrreversible: flag,
  rollback: expectFunction,
  idempotencyKeyHeader: expectHeaderName,
  attemptHeader: expectHeaderName,
  throwOnExhausted: flag,
  markFinalResponse: is("true, false or 'permanent'", (value) => typeof value === 'boolean' || value === 'permanent'),
  fallback: is('createFallback({ targets }) or createKeyRotation({ keys })', hasMethod('openRoute')),
  gate: is('createGate() or what presets.fleet() brings', hasMethod('openRoute')),
  priority: oneOf(['interactive', 'batch']),
  gateKey: is('a text', (value) => typeof value === 'string'),
  controller: is('a RetryController', isController),
  requestId: expectTextOrFunction,
  onRetry: expectFunction,
  onExhausted: expectFunction,
  onEvent: expectFunction,
  runtime: expectRuntime,
}))();
