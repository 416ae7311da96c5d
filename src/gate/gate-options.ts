/** The options of a gate, checked once. */

import type { GateEvent } from './gate-event.ts';
import {
  type Check,
  checkOptions,
  row,
  type Checks,
  expectFunction,
  expectNumber,
  expectObject,
  flag,
  is,
  isFunction,
  mismatch,
  number,
  oneOf,
} from '../runtime/expect.ts';
import type { Failure } from '../failure/failure.ts';
import type { CircuitRule } from './circuit-breaker.ts';
import type { GateRequest } from './gate.ts';
import type { GateKey } from './key.ts';
import { isStore, type Store } from './store.ts';
import { type BudgetRule, isCongestion } from './retry-budget.ts';
import { type GateLimits, statesAny } from './stated-limit.ts';

/** How calls that share a limit are paced and held. */
export interface CooldownOptions {
  /** Longer hints and announced resets are shortened to this. @default 3600000 */
  readonly maxMs?: number | undefined;
}

/** How many retries the successes pay for. */
export interface RetryBudgetOptions {
  /** The initial and highest balance. @default 20 */
  readonly capacity?: number | undefined;
  /** The amount that a success pays in. @default 0.2 */
  readonly ratio?: number | undefined;
}

/** When the circuit opens, and for how long. */
export interface CircuitBreakerOptions {
  /**
   * `{ failures }` in a row, or a share of all calls: `{ failureRatio, windowMs, minimumCalls }`, the latter two with
   * defaults of 10000 and 20. @default { failures: 5 }
   */
  readonly opensAfter?:
    | { readonly failures: number }
    | {
        readonly failures?: undefined;
        readonly failureRatio: number;
        readonly windowMs?: number | undefined;
        readonly minimumCalls?: number | undefined;
      }
    | undefined;
  /** How long nothing is sent. @default 5000 */
  readonly openMs?: number | undefined;
  /** `all` also refuses first attempts. @default 'retries' */
  readonly covers?: 'retries' | 'all' | undefined;
}

/** The options of `createGate`. All are optional. */
export interface GateOptions {
  /**
   * Limits that you know, such as `{ requestsPerMinute: 40 }`, kept from the first call on. They count all models of an
   * origin and credential together, or each `key` if `key` is set. Only `maxElapsedMs` and an abort end a wait for a
   * limit.
   *
   * @default none
   */
  readonly limits?: GateLimits | undefined;
  /** false: nothing is paced or held; a hint applies only to the call that got it. @default {} */
  readonly cooldown?: CooldownOptions | false | undefined;
  /** false: no budget. @default {} */
  readonly retryBudget?: RetryBudgetOptions | false | undefined;
  /** @default none */
  readonly circuitBreaker?: CircuitBreakerOptions | undefined;
  /** Shares pace and probes with the processes that use the same store: `redisStore(…)`. @default this process alone */
  readonly store?: Store | undefined;
  /**
   * Which calls share what is learned and announced. `model`: calls with the same credential, origin and model;
   * `credential`: calls with the same credential and origin; a function: calls for which it returns the same text.
   * @default 'model'
   */
  readonly key?: GateKey | undefined;
  /**
   * Obeys the limits that the server announces with each response (`x-ratelimit-remaining-*`, `anthropic-ratelimit-*`,
   * `RateLimit`, …): if nothing remains, no call is sent before the reset; if little remains, calls are spread over the
   * time until the reset.
   *
   * @default true
   */
  readonly announced?: boolean | undefined;
  /**
   * Estimates the tokens of a request; called at most once per session. If the server announces token limits, calls are
   * paced by tokens.
   */
  readonly cost?: ((request: GateRequest) => number) | undefined;
  /**
   * How many calls of this process may wait for each key; further calls are refused. Infinity is allowed.
   *
   * @default 10000
   */
  readonly maxWaiting?: number | undefined;
  /** Called for everything that the gate does to a call, synchronously; must not throw, and is not awaited. */
  readonly onEvent?: ((event: GateEvent) => void) | undefined;
}

/** The options with the defaults filled in. */
export interface GateSettings {
  readonly limits: GateLimits | null;
  /** null: calls are neither paced nor held. */
  readonly longestHoldMs: number | null;
  readonly budget: BudgetRule | null;
  readonly circuit: CircuitRule | null;
  readonly costOf: (failure: Failure) => number;
  readonly announced: boolean;
  readonly cost: ((request: GateRequest) => number) | undefined;
  readonly store: Store | null;
  readonly maxWaiting: number;
  readonly onEvent: ((event: GateEvent) => void) | undefined;
}

const checksOfLimits = (): { readonly [K in keyof GateLimits]-?: Check } => ({
  concurrent: row(number({ min: 1, integer: true }), 'concurrency maxConcurrent maxConcurrency maxParallel'),
  requestsPerSecond: row(positive, 'rps perSecond interval intervalCap minTime'),
  requestsPerMinute: row(positive, 'rpm perMinute limit rateLimit reservoir'),
  requestsPerDay: row(number({ min: 1, integer: true }), 'rpd'),
  tokensPerMinute: row(positive, 'tpm'),
  burst: number({ min: 1, integer: true }),
});

const checksOfOptions = (limits: Checks): { readonly [K in keyof GateOptions]-?: Check } => ({
  limits: row(
    checkLimits,
    // Beside `limits` they would limit nothing.
    Object.entries(limits)
      .flatMap(([name, { others = '' }]) => [name, others])
      .join(' '),
    'limits: { requestsPerMinute: 40, concurrent: 4 }',
  ),
  cooldown: membersOrFalse({ maxMs: number() }),
  retryBudget: row(membersOrFalse({ capacity: row(number(), 'tokens'), ratio: row(number(), 'percent') }), 'budget'),
  circuitBreaker: row(
    members({
      opensAfter: row(
        members({
          failures: number({ min: 1, integer: true }),
          failureRatio: number(),
          windowMs: number({ min: 2 }),
          minimumCalls: number({ min: 1, integer: true }),
        }),
        'threshold failures failureThreshold',
      ),
      openMs: row(number({ min: 1 }), 'resetTimeout halfOpenAfter openDuration'),
      covers: oneOf(['retries', 'all']),
    }),
    'breaker circuit',
  ),
  store: row(is('a store such as redisStore(fromNodeRedis(client))', isStore), 'redis client', 'store: redisStore(…)'),
  key: row(
    is('"credential", "model" or a function', (key) => key === 'credential' || key === 'model' || isFunction(key)),
    'keyBy keyGenerator',
  ),
  announced: flag,
  cost: expectFunction,
  maxWaiting: row(number({ integer: true, max: Infinity }), 'maxQueue queueSize highWater'),
  onEvent: expectFunction,
});

/** @throws TypeError also for a name that is not known: it would limit nothing */
function checkLimits(name: string, value: unknown): void {
  const checks = checksOfLimits();
  const limits = expectObject(name, value, 'an object such as { requestsPerMinute: 40 }');
  checkOptions(`${name}.`, limits, checks);
  const unknown = Object.keys(limits).find((each) => !Object.hasOwn(checks, each));
  if (unknown !== undefined)
    throw new TypeError(`Unknown limit \`${name}.${unknown}\`. Use one of \`${Object.keys(checks).join('`, `')}\`.`);
}

/** @throws TypeError if an option is invalid; the message names it */
export function resolveGateOptions(options: GateOptions): GateSettings {
  const object = expectObject('options', options, 'an object such as { maxWaiting: 100 }');
  const given = checkOptions('', object, checksOfOptions(checksOfLimits()));
  const { limits, cooldown = {}, retryBudget = {}, circuitBreaker, store, announced = true, cost, onEvent } = given;
  if (limits?.tokensPerMinute !== undefined && cost === undefined) {
    throw new TypeError(
      'Expected `cost` beside `limits.tokensPerMinute`: a function that estimates the tokens of a request.',
    );
  }
  return {
    limits: limits === undefined || !statesAny(limits) ? null : limits,
    longestHoldMs: cooldown === false ? null : (cooldown.maxMs ?? 3_600_000),
    budget: retryBudget === false ? null : { capacity: retryBudget.capacity ?? 20, ratio: retryBudget.ratio ?? 0.2 },
    circuit: circuitBreaker === undefined ? null : resolveCircuit(circuitBreaker),
    // Failures that are paced, and requests that cannot have reached the server, cost nothing.
    costOf: (failure) => ((cooldown !== false && isCongestion(failure)) || failure.phase === 'connect' ? 0 : 1),
    announced,
    cost,
    store: store ?? null,
    maxWaiting: given.maxWaiting ?? 10_000,
    onEvent,
  };
}

function positive(name: string, value: unknown): void {
  if (!(expectNumber(name, value) > 0)) throw new TypeError(mismatch(name, 'a number above 0', value));
}

const members =
  (checks: Checks, expected = 'an object'): Check =>
  (name, value) =>
    checkOptions(`${name}.`, expectObject(name, value, expected), checks);

const membersOrFalse =
  (checks: Checks): Check =>
  (name, value) =>
    value === false || members(checks, 'false or an object')(name, value);

function resolveCircuit(options: CircuitBreakerOptions): CircuitRule {
  const { opensAfter = { failures: 5 }, openMs = 5_000, covers = 'retries' } = options;
  const { failures } = opensAfter;
  if (failures !== undefined) return { opensAfter: { failures }, openMs, covers };
  const { failureRatio, windowMs = 10_000, minimumCalls = 20 } = opensAfter;
  expectNumber('circuitBreaker.opensAfter.failureRatio', failureRatio, { min: 0.01, max: 1 });
  return { opensAfter: { failureRatio, windowMs, minimumCalls }, openMs, covers };
}
