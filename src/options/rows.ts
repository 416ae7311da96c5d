/**
 * One row per option: what it may be, which faces have it, and what other libraries call it. In a function, for bundlers
 * keep a table that is made of calls.
 */

import { steeringOf } from '../events/steering.ts';
import { isFailureType, type Strategy } from '../failure/failure.ts';
import { isGate } from '../gate/open-gate.ts';
import { chainOf, hasRoute } from '../route/open-route.ts';
import { isSignal } from '../runtime/abort.ts';
import {
  type Check,
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

/** What an option is for: every retry; a request; a fetch; a function; a stream of objects; functions and `/llm`. */
type For = 'all' | 'requests' | 'fetch' | 'functions' | 'streams' | 'unknown errors';

const FUNCTIONS: readonly FaceName[] = ['withRetry', 'retryStream', 'RetrySession'];
const REQUESTS: readonly FaceName[] = ['createRetryFetch', 'RetryTransport', 'retry-transport/llm'];

/** The faces of each. */
const FACES: Readonly<Record<For, readonly FaceName[]>> = {
  all: [...REQUESTS, ...FUNCTIONS],
  requests: REQUESTS,
  fetch: ['createRetryFetch'],
  functions: FUNCTIONS,
  streams: ['retryStream'],
  'unknown errors': [...FUNCTIONS, 'retry-transport/llm'],
};

interface Row {
  readonly for: For;
  readonly check: Check;
  /** The names that other libraries have for it, separated by spaces. */
  readonly others: string;
  /** What to write in its place, where another face has it. */
  readonly instead: string | undefined;
}

const row = (check: Check, others = '', of: For = 'all', instead?: string): Row => ({
  for: of,
  check,
  others,
  instead,
});

/** `Infinity` means no limit. */
const LIMIT = { max: Infinity };
const isStatus = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 999;
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const limit = (): Check => number(LIMIT);

/** Every option. */
function makeRows(): { readonly [K in keyof AnyConfig]-?: Row } {
  return {
    maxRetries: row(
      number({ integer: true, ...LIMIT }),
      'retries retry limit attempts maxAttempts maxTries maxRetry maxRetryAttempts numOfAttempts retryCount forever streamRetries',
    ),
    baseDelayMs: row(
      number(),
      'minTimeout retryDelay delay delayMs initialDelay initialDelayMs initialDelayInMs startingDelay minDelay',
    ),
    maxDelayMs: row(limit(), 'maxTimeout backoffLimit maxBackoff'),
    backoffMultiplier: row(number({ min: 1 }), 'factor backoffFactor timeoutFactor exponent multiplier timeMultiple'),
    jitter: row(oneOf(JITTERS), 'randomize noise'),
    jitterFactor: row(number({ max: 1 }), 'jitterRatio'),
    backoff: row(expectBackoff, 'calculateDelay delayFor generator backoffStrategy stepped exponential'),
    maxTotalDelayMs: row(limit()),
    maxElapsedMs: row(
      number({ min: -Infinity, ...LIMIT }),
      'maxRetryTime totalTimeout totalMs maxElapsedTime deadline deadlineMs',
    ),
    attemptTimeoutMs: row(
      number({ min: 1, ...LIMIT }),
      'timeout timeoutMs requestTimeout firstChunkMs hedgeMs perAttemptTimeoutMs shouldResetTimeout',
    ),
    retryAfter: row(
      is(
        "'obey', 'clamp', 'ignore' or a function",
        (value) => isFunction(value) || ['obey', 'clamp', 'ignore'].includes(String(value)),
      ),
      'respectRetryAfter retryAfterPaddingFactor',
    ),
    maxRetryAfterMs: row(limit()),
    waitForQuotaReset: row(flag),
    retryableStatusCodes: row(
      is('an array of statuses such as [429, 503]', (value) => Array.isArray(value) && value.every(isStatus)),
      'retryOn statusCodes statuses afterStatusCodes',
    ),
    classify: row(
      expectFunction,
      'retryIf retryCondition shouldConsumeRetry validateResponse errorCodes shouldRetryOnError',
    ),
    stopIf: row(expectFunction, 'shouldRetry'),
    strategies: row(expectStrategies),
    operation: row(expectOperation, 'safety rollback unknownOperation'),
    retryIrreversible: row(flag),
    gate: row(is('createGate({ limits })', isGate), GATE_WORDS),
    priority: row(oneOf(['interactive', 'batch'])),
    gateKey: row(expectText),
    fallback: row(is('createFallback({ targets }) or createKeyRotation({ keys })', hasRoute), 'targets fallbacks'),
    controller: row((_name, value) => steeringOf(value)),
    onEvent: row(
      is(
        'a function, or a list of functions',
        (value) => isFunction(value) || (Array.isArray(value) && value.every(isFunction)),
      ),
      'onAttempt',
    ),
    onRetry: row(expectFunction, 'onFailedAttempt beforeRetry'),
    onExhausted: row(expectFunction, 'onMaxRetryTimesExceeded onGiveUp'),
    callId: row(
      is('a string or a function', (value) => isText(value) || isFunction(value)),
      'requestId',
    ),
    runtime: row(expectRuntime, 'clock'),

    retryOnly: row(
      is("'model-requests' or a function", (value) => value === 'model-requests' || isFunction(value)),
      'methods',
      'requests',
    ),
    answers: row(
      expectAnswers,
      'guardStreams guardJson streamWatch chunkTimeoutMs chunkMs stepMs idleTimeout idleTimeoutMs outputTimeoutMs streamTimeoutMs holdUntil checkEnd',
      'requests',
    ),
    exhausted: row(
      oneOf(['return', 'throw', 'mark', 'mark-permanent']),
      'throwOnExhausted throwOnError markFinalResponse throwHttpErrors',
      'requests',
    ),
    idempotencyKeyHeader: row(headerName, '', 'requests'),
    fetch: row(
      is('a function with the shape of the global fetch', isFunction),
      'inner',
      'fetch',
      'new FetchTransport({ fetch })',
    ),

    signal: row(expectSignal, 'abortSignal', 'functions', 'the signal of each call: fetch(url, { signal })'),
    retryUnknownErrors: row(flag, '', 'unknown errors'),
    errorIn: row(expectFunction, '', 'functions'),
    isContent: row(expectFunction, '', 'streams'),
  };
}

const GATE_WORDS =
  'limits rpm tpm concurrency maxConcurrent minTime reservoir requestsPerSecond requestsPerMinute requestsPerDay tokensPerMinute circuitBreaker breaker halfOpenAfter retryBudget';

/** The names of other libraries, separated by spaces, by what to write here. */
export function foreignNames(): Readonly<Record<string, string>> {
  const rows = Object.entries(allRows()).filter(([, { others }]) => others !== '');
  return Object.fromEntries(rows.map(([name, { others }]) => [FULL[name as keyof AnyConfig] ?? name, others]));
}

/** What each option is for. */
export function kindsOfOptions(): Readonly<Record<string, For>> {
  return Object.fromEntries(Object.entries(allRows()).map(([name, { for: kind }]) => [name, kind]));
}

let rows: ReturnType<typeof makeRows> | undefined;
const allRows = (): ReturnType<typeof makeRows> => (rows ??= makeRows());

/** What a reader of an error writes in place of a name, where it is more than the name. */
const FULL: Partial<Record<keyof AnyConfig, string>> = {
  gate: 'gate: createGate({ limits, circuitBreaker })',
  classify: "classify: (failure, { error, response }) => 'retry', 'stop' or undefined",
  stopIf: "stopIf: (retry) => true to stop, or classify: (failure, { error }) => 'stop'",
  operation: "operation: 'irreversible', or operation: { is, rollback }",
  answers: 'answers: { holdUntil, holdJson, checkEnd, idleTimeoutMs }',
  exhausted: "exhausted: 'throw' or 'mark'",
  runtime: 'runtime: { now, random, sleep }',
  retryOnly: "retryOnly: ({ method }) => method === 'GET'",
};

/**
 * Checks every option that is given, and returns those. `isPart`: they are put over others, so a schedule may be
 * incomplete.
 *
 * @throws TypeError if an option is invalid, or one of another face; the message names it and what is expected
 */
export function checkConfig(face: FaceName, config: object, isPart = false): Given<Partial<AnyConfig>> {
  const checks = Object.fromEntries(
    Object.entries(allRows()).map(([name, { for: kind, check, instead }]) => [
      name,
      FACES[kind].includes(face) ? check : elsewhere(face, FACES[kind], instead),
    ]),
  );
  const given = checkOptions('', expectConfig(config), checks, foreignNames()) as Given<Partial<AnyConfig>>;
  if (face !== 'createRetryFetch' && given.fallback !== undefined && chainOf(given.fallback).uses.includes('fetch'))
    throw new TypeError(`\`fetch\` of a target of \`fallback\` is for createRetryFetch, and ${face} cannot honour it.`);
  checkSchedule('', given, {}, isPart);
  for (const [type, strategy] of Object.entries(given.strategies ?? {}))
    if (strategy !== undefined) checkSchedule(`strategies.${type}.`, givenOptions(strategy), given, isPart);
  return given;
}

const elsewhere =
  (face: FaceName, others: readonly FaceName[], instead: string | undefined): Check =>
  (name, value) => {
    if (value === undefined) return;
    const hint = instead === undefined ? '' : ` Write ${instead}.`;
    throw new TypeError(`\`${name}\` is an option of ${listed(others)}, and ${face} cannot honour it.${hint}`);
  };

const listed = (names: readonly string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' and $1');

/** @throws TypeError for anything else than an object */
export function expectConfig<C extends object>(config: C): C {
  if (isFunction(config))
    throw new TypeError(
      'Expected `config` to be an object, got a function. Write createRetryFetch({ fetch }) to wrap a fetch, and { ...presets.fleet } for a preset.',
    );
  return expectObject('config', config, 'an object such as { maxRetries: 3 } or presets.recommended');
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
  if (backoff !== undefined) {
    const beside = GROWING.filter((name) => Reflect.get(given, name) !== undefined);
    if (beside.length > 0)
      throw new TypeError(
        `\`${owner}backoff\` replaces \`${beside.join('` and `')}\`. After a spread, write ${beside.map((name) => `${name}: undefined`).join(', ')}; \`maxDelayMs\` and \`jitter\` still shape the waits.`,
      );
  }
  if (isPart) return;
  const maxRetries = given.maxRetries ?? call.maxRetries;
  if (typeof backoff === 'function') {
    // It is never asked in advance, and may stop by itself.
    if (maxRetries === undefined)
      throw new TypeError(
        `Expected \`${owner}maxRetries\` beside a function in \`${owner}backoff\`: a number, or Infinity if the function stops by itself.`,
      );
    return;
  }
  const { maxElapsedMs, maxTotalDelayMs } = { ...call, ...given };
  if (Math.min(maxRetries ?? 0, call.maxRetries ?? Infinity) !== Infinity || isLimit(maxElapsedMs)) return;
  // Waits of 0 never use up the time that a call may wait.
  const lastMs = backoff === undefined ? (given.baseDelayMs ?? call.baseDelayMs) : (backoff.at(-1) ?? 0);
  if (isLimit(maxTotalDelayMs) && lastMs !== 0) return;
  throw new TypeError(
    `Expected waits that end: set a finite \`${owner}maxRetries\`, or \`maxElapsedMs\` or \`maxTotalDelayMs\`.`,
  );
}

const isLimit = (value: number | undefined): boolean => value !== undefined && value !== Infinity;

function expectBackoff(name: string, value: unknown): void {
  if (isFunction(value)) return;
  if (!Array.isArray(value))
    throw new TypeError(mismatch(name, 'a list of waits such as [1000, 5000], or a function of the retry', value));
  for (const [index, delayMs] of value.entries()) expectNumber(`${name}[${index}]`, delayMs);
}

function expectSignal(name: string, value: unknown): void {
  if (value !== null && !isSignal(value)) throw new TypeError(mismatch(name, 'an AbortSignal', value));
}

function expectAnswers(name: string, value: unknown): void {
  if (value === false) return;
  const answers = expectObject(name, value, "false, or an object such as { holdUntil: 'content' }");
  const flagOrRequests = is(
    "true, false or 'model-requests'",
    (given) => isBoolean(given) || given === 'model-requests',
  );
  const checks: { readonly [K in keyof AnswerOptions]-?: Check } = {
    holdUntil: oneOf(['headers', 'content', 'text', 'end']),
    maxHoldMs: limit(),
    maxHoldBytes: limit(),
    holdJson: flagOrRequests,
    checkEnd: flagOrRequests,
    idleTimeoutMs: number({ min: 1, ...LIMIT }),
    outputTimeoutMs: number({ min: 1, ...LIMIT }),
  };
  checkOptions(`${name}.`, answers, checks, {
    holdUntil: 'until guardStreams',
    holdJson: 'guardJson',
    checkEnd: 'requireEnd',
    idleTimeoutMs: 'chunkMs chunkTimeoutMs idleTimeout timeout',
  });
}

function expectOperation(name: string, value: unknown): void {
  if (isText(value)) return expectLabel(name, value);
  if (isFunction(value)) return;
  const given: OperationOptions = expectObject(
    name,
    value,
    "a label such as 'tool_call', a function, or { is, rollback }",
  );
  const checks: { readonly [K in keyof OperationOptions]-?: Check } = { is: expectLabel, rollback: expectFunction };
  checkOptions(`${name}.`, given, checks, { is: 'label safety type name operation' });
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

function expectStrategies(name: string, value: unknown): void {
  const shape = 'an object such as { maxRetries: 5 }';
  const options = allRows();
  const checks: Record<string, Check> = { retryAfter: oneOf(['obey', 'ignore']), fallback: flag };
  const others: Record<string, string> = { retryAfter: 'respectRetryAfter', fallback: options.fallback.others };
  for (const option of OF_STRATEGY) {
    checks[option] = options[option].check;
    others[option] = options[option].others;
  }
  others['maxRetries'] += ' shouldRetry';
  others['jitter'] += ' useJitter';
  for (const [type, strategy] of Object.entries(expectObject(name, value, shape))) {
    if (!isFailureType(type))
      throw new TypeError(`Expected the keys of \`${name}\` to be failure types, got "${type}".`);
    if (strategy !== undefined)
      checkOptions(`${name}.${type}.`, expectObject(`${name}.${type}`, strategy, shape), checks, others);
  }
}

/** The options that a strategy has in common with the call. */
const OF_STRATEGY = [
  'maxRetries',
  'baseDelayMs',
  'maxDelayMs',
  'backoffMultiplier',
  'jitter',
  'backoff',
] as const satisfies readonly (keyof Strategy)[];
