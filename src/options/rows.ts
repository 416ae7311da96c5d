/**
 * One row per option: what it may be, which faces have it, and what other libraries call it. In a function, for bundlers
 * keep a table that is made of calls.
 */

import { steeringOf } from '../events/steering.ts';
import { expectTypes, type Strategy } from '../failure/failure.ts';
import { isGate } from '../gate/open-gate.ts';
import { chainOf, hasRoute } from '../route/open-route.ts';
import { isSignal } from '../runtime/abort.ts';
import {
  type Check,
  type Checks,
  checkOptions,
  expectFunction,
  expectNumber,
  expectObject,
  expectText,
  flag,
  type Given,
  givenOptions,
  headerName,
  is,
  isFunction,
  isText,
  mismatch,
  number,
  oneOf,
  row,
} from '../runtime/expect.ts';
import { systemRuntime } from '../runtime/runtime.ts';
import { JITTERS } from './backoff.ts';
import type { AnswerOptions, AnyConfig } from './config.ts';
import { DEFAULT_OPERATION, expectUndoable, nearLabel, operationFrom, type OperationOptions } from './operation.ts';
import { GROWING } from './schedules.ts';

/** What takes options, as messages name it. */
export type FaceName =
  | 'createRetryFetch'
  | 'RetryTransport'
  | 'withRetry'
  | 'retryStream'
  | 'RetrySession'
  | 'retry-transport/llm';

/** The faces that have an option, where not all have it. */
export const REQUESTS = 'createRetryFetch, RetryTransport and retry-transport/llm';
export const FUNCTIONS = 'withRetry, retryStream and RetrySession';
export const UNKNOWN_ERRORS = 'withRetry, retryStream, RetrySession and retry-transport/llm';

/** `instead`: what to write in its place, where another face has it. */
const only = (faces: string, check: Check, instead = ''): Check =>
  Object.assign<Check, Partial<Check>>(
    (name, value, face = '') => {
      if (!faces.includes(face))
        throw new TypeError(`\`${name}\` is an option of ${faces}, and ${face} cannot honour it.${instead}`);
      check(name, value);
    },
    { faces },
  );

const isStatus = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 999;
/** `Infinity` means no limit. */
const limit = (min = 0): Check => number({ min, max: Infinity });

/** Every option. */
export const ROWS: { readonly [K in keyof AnyConfig]-?: Check } = /* @__PURE__ */ makeRows();

function makeRows(): typeof ROWS {
  return {
    maxRetries: row(
      number({ integer: true, max: Infinity }),
      'retries limit attempts maxAttempts maxTries maxRetryAttempts numOfAttempts stopAfterAttempt retryCount count noResponseRetries forever streamRetries',
    ),
    baseDelayMs: row(
      number(),
      'minTimeout retryDelay delay initialDelay initialRetryDelay waitInitial startingDelay minDelay',
    ),
    maxDelayMs: row(limit(), 'maxTimeout backoffLimit maxBackoff maxRetryDelay waitMax'),
    backoffMultiplier: row(
      number({ min: 1 }),
      'factor backoffFactor timeoutFactor exponent multiplier timeMultiple retryDelayMultiplier',
    ),
    jitter: row(oneOf(JITTERS), 'randomize noise useJitter'),
    jitterFactor: row(number({ max: 1 }), 'jitterRatio'),
    backoff: row(
      expectBackoff,
      'calculateDelay delayFor generator backoffStrategy customBackoff backoffType schedule stepped exponential',
    ),
    maxTotalDelayMs: limit(),
    maxElapsedMs: row(limit(-Infinity), 'maxRetryTime totalTimeout totalMs maxElapsedTime deadline'),
    attemptTimeoutMs: row(
      limit(1),
      'timeout requestTimeout firstChunkMs hedgeMs perAttemptTimeoutMs firstTokenTimeout shouldResetTimeout',
    ),
    retryAfter: row(oneOf(['obey', 'clamp', 'ignore'], 'function'), 'respectRetryAfter retryAfterPaddingFactor'),
    maxRetryAfterMs: limit(),
    waitForQuotaReset: flag,
    retryableStatusCodes: row(
      is('an array of statuses such as [429, 503]', (value) => Array.isArray(value) && value.every(isStatus)),
      'retryOn statusCodes statuses retryableStatuses afterStatusCodes',
    ),
    classify: row(
      expectFunction,
      'retryIf retryCondition retryOnTimeout shouldConsumeRetry validateResponse errorCodes shouldRetryOnError',
      "classify: (failure, { error, response }) => 'retry', 'stop' or undefined",
    ),
    stopIf: row(
      expectFunction,
      'shouldRetry',
      "stopIf: (retry) => true to stop, or classify: (failure, { error }) => 'stop'",
    ),
    strategies: expectStrategies,
    operation: row(
      expectOperation,
      'safety safe idempotent operationType rollback unknownOperation',
      "operation: 'irreversible', or operation: { is, rollback }",
    ),
    retryIrreversible: flag,
    gate: row(
      is('createGate({ limits })', isGate),
      'limits rpm tpm concurrency maxConcurrent maxConcurrency minTime reservoir requestsPerSecond requestsPerMinute requestsPerDay tokensPerMinute circuitBreaker breaker halfOpenAfter retryBudget',
      'gate: createGate({ limits, circuitBreaker })',
    ),
    priority: oneOf(['interactive', 'batch']),
    gateKey: expectText,
    fallback: row(is('createFallback({ targets }) or createKeyRotation({ keys })', hasRoute), 'targets fallbacks'),
    controller: (_name, value) => steeringOf(value),
    onEvent: row(
      is('a function, or a list of functions', (value) => [value].flat().every(isFunction)),
      'onAttempt hooks',
    ),
    onRetry: row(expectFunction, 'onFailedAttempt beforeRetry'),
    onExhausted: row(expectFunction, 'onMaxRetryTimesExceeded onGiveUp'),
    callId: row(
      is('a string or a function', (value) => isText(value) || isFunction(value)),
      'requestId',
    ),
    runtime: row(expectRuntime, 'clock', 'runtime: { now, random, sleep }'),

    retryOnly: row(
      only(REQUESTS, oneOf(['model-requests'], 'function')),
      'methods httpMethodsToRetry',
      "retryOnly: ({ method }) => method === 'GET'",
    ),
    answers: row(
      only(REQUESTS, expectAnswers),
      'guardStreams guardJson streamWatch chunkTimeoutMs chunkMs stepMs idleTimeoutMs outputTimeoutMs streamTimeoutMs holdUntil checkEnd',
      'answers: { holdUntil, holdJson, checkEnd, idleTimeoutMs }',
    ),
    exhausted: row(
      only(REQUESTS, oneOf(['return', 'throw', 'mark', 'mark-permanent'])),
      'throwOnExhausted throwOnError markFinalResponse throwHttpErrors',
      "exhausted: 'throw' or 'mark'",
    ),
    idempotencyKeyHeader: row(only(REQUESTS, headerName), 'idempotencyHeader'),
    fetch: row(
      only(
        'createRetryFetch',
        is('a function with the shape of the global fetch', isFunction),
        ' Write new FetchTransport({ fetch }).',
      ),
      'inner',
    ),

    signal: row(
      only(
        FUNCTIONS,
        is('an AbortSignal', (value) => value === null || isSignal(value)),
        ' Write the signal of each call: fetch(url, { signal }).',
      ),
      'abortSignal',
    ),
    retryUnknownErrors: only(UNKNOWN_ERRORS, flag),
    errorIn: only(FUNCTIONS, expectFunction),
    isContent: only('retryStream', expectFunction),
  };
}

/**
 * Checks every option that is given, and returns those. `isPart`: they are put over others, so a schedule may be
 * incomplete.
 *
 * @throws TypeError if an option is invalid, or one of another face; the message names it and what is expected
 */
export function checkConfig(face: FaceName, config: object, isPart = false): Given<Partial<AnyConfig>> {
  const given: Given<Partial<AnyConfig>> = checkOptions('', expectConfig(config), ROWS, face);
  if (face !== 'createRetryFetch' && given.fallback !== undefined && chainOf(given.fallback).uses.includes('fetch'))
    throw new TypeError(`\`fetch\` of a target of \`fallback\` is for createRetryFetch, and ${face} cannot honour it.`);
  checkSchedule('', given, {}, isPart);
  for (const [type, strategy] of Object.entries(given.strategies ?? {}))
    if (strategy !== undefined) checkSchedule(`strategies.${type}.`, givenOptions(strategy), given, isPart);
  return given;
}

/** @throws TypeError for anything else than an object */
export function expectConfig<C extends object>(config: C): C {
  return expectObject('config', config, 'an object such as { maxRetries: 3 }, { fetch } or presets.recommended');
}

/** What says how often and how long a call waits. */
type Waits = Pick<
  Given<Partial<AnyConfig>>,
  'backoff' | 'baseDelayMs' | 'maxRetries' | 'maxTotalDelayMs' | 'maxElapsedMs'
>;

/**
 * What `backoff` replaces is not set beside it, and what never ends has a limit. `call`: the options of the call, for a
 * strategy.
 */
function checkSchedule(owner: string, given: Waits, call: Waits, isPart: boolean): void {
  const { backoff } = given;
  if (backoff !== undefined && GROWING.some((name) => Object.hasOwn(given, name)))
    throw new TypeError(
      `\`${owner}backoff\` replaces \`baseDelayMs\` and \`backoffMultiplier\`. After a spread, write baseDelayMs: undefined, backoffMultiplier: undefined; \`maxDelayMs\` and \`jitter\` still shape the waits.`,
    );
  if (isPart) return;
  const { maxRetries, baseDelayMs, maxElapsedMs = Infinity, maxTotalDelayMs = Infinity } = { ...call, ...given };
  if (typeof backoff === 'function') {
    // It is never asked in advance, and may stop by itself.
    if (maxRetries === undefined)
      throw new TypeError(
        `Expected \`${owner}maxRetries\` beside a function in \`${owner}backoff\`: a number, or Infinity if the function stops by itself.`,
      );
    return;
  }
  if (Math.min(maxRetries ?? 0, call.maxRetries ?? Infinity, maxElapsedMs) < Infinity) return;
  // Waits of 0 never use up the time that a call may wait.
  const lastMs = backoff === undefined ? baseDelayMs : (backoff.at(-1) ?? 0);
  if (maxTotalDelayMs < Infinity && lastMs !== 0) return;
  throw new TypeError(
    `Expected waits that end: set a finite \`${owner}maxRetries\`, or \`maxElapsedMs\` or \`maxTotalDelayMs\`.`,
  );
}

function expectBackoff(name: string, value: unknown): void {
  if (isFunction(value)) return;
  if (!Array.isArray(value))
    throw new TypeError(mismatch(name, 'a list of waits such as [1000, 5000], or a function of the retry', value));
  for (const [index, delayMs] of value.entries()) expectNumber(`${name}[${index}]`, delayMs);
}

function expectAnswers(name: string, value: unknown): void {
  if (value === false) return;
  const ofRequests = oneOf(['model-requests'], 'boolean');
  const checks: { readonly [K in keyof AnswerOptions]-?: Check } = {
    holdUntil: row(oneOf(['headers', 'content', 'text', 'end']), 'hold until guardStreams'),
    maxHoldMs: limit(),
    maxHoldBytes: limit(),
    holdJson: row(ofRequests, 'guardJson'),
    checkEnd: row(ofRequests, 'requireEnd'),
    idleTimeoutMs: row(limit(1), 'chunkMs chunkTimeoutMs stallTimeout timeout'),
    outputTimeoutMs: limit(1),
  };
  checkPart(name, expectObject(name, value, "false, or an object such as { holdUntil: 'content' }"), checks);
}

function expectOperation(name: string, value: unknown): void {
  if (isText(value)) return expectLabel(name, value);
  if (isFunction(value)) return;
  const given: OperationOptions = expectObject(
    name,
    value,
    "a label such as 'tool_call', a function, or { is, rollback }",
  );
  const checks: { readonly [K in keyof OperationOptions]-?: Check } = {
    is: row(expectLabel, 'label safety type name operation idempotent'),
    rollback: row(expectFunction, 'undo compensate'),
  };
  checkPart(name, given, checks);
  expectUndoable(
    name,
    operationFrom(given, () => DEFAULT_OPERATION),
  );
}

/** Any label is allowed, but one that is misspelt would make the operation irreversible. */
function expectLabel(name: string, value: unknown): void {
  if (!isText(value)) throw new TypeError(mismatch(name, 'a label such as "tool_call"', value));
  const meant = nearLabel(value);
  if (meant !== undefined) throw new TypeError(`Unknown label "${value}" in \`${name}\`. Did you mean "${meant}"?`);
}

/** A runtime may be an instance of a class, so its parts may be inherited, and it may have any other member. */
function expectRuntime(name: string, value: unknown): void {
  const runtime = expectObject(name, value, 'an object such as { now, random, sleep }');
  for (const part of Object.keys(systemRuntime)) {
    const given: unknown = Reflect.get(runtime, part);
    if (given !== undefined) expectFunction(`${name}.${part}`, given);
  }
}

/** A part of the options, such as a strategy. What only the call has would be ignored there. */
function checkPart(name: string, part: object, checks: Checks): void {
  checkOptions(`${name}.`, part, checks);
  const ofCall = Object.keys(part).find((key) => Object.hasOwn(ROWS, key) && !Object.hasOwn(checks, key));
  if (ofCall !== undefined) throw new TypeError(`\`${ofCall}\` is an option of the call, not of \`${name}\`.`);
}

function expectStrategies(name: string, value: unknown): void {
  const shape = 'an object such as { maxRetries: 5 }';
  const { maxRetries, baseDelayMs, maxDelayMs, backoffMultiplier, jitter, backoff, fallback } = ROWS;
  const checks: { readonly [K in keyof Strategy]-?: Check } = {
    maxRetries: row(maxRetries, `${maxRetries.others} shouldRetry`),
    baseDelayMs,
    maxDelayMs,
    backoffMultiplier,
    jitter,
    backoff,
    retryAfter: row(oneOf(['obey', 'ignore']), 'respectRetryAfter'),
    fallback: row(flag, `${fallback.others}`),
  };
  for (const [type, strategy] of expectTypes(name, value, shape)) {
    if (strategy !== undefined) checkPart(`${name}.${type}`, expectObject(`${name}.${type}`, strategy, shape), checks);
  }
}
