/** The options of a gate, checked once. */

import type { GateEvent } from '../events/gate-event.ts';
import {
  type Check,
  checkOptions,
  type Checks,
  expectFunction,
  expectNumber,
  expectObject,
  flag,
  hasMethods,
  is,
  isFunction,
  number,
  oneOf,
} from '../failure/expect.ts';
import { type Failure, type FailureType, isFailureType } from '../failure/failure.ts';
import type { CircuitRule } from './circuit-breaker.ts';
import type { GateRequest } from '../route/route.ts';
import type { GateKey } from './key.ts';
import type { Store } from './store.ts';
import { type BudgetRule, isCongestion } from './retry-budget.ts';

/** How calls that share a limit are paced and held. */
export interface CooldownOptions {
  /** A longer hint counts as so long. @default 3600000 */
  readonly maxMs?: number | undefined;
}

/** How many retries the successes pay for. */
export interface RetryBudgetOptions {
  /** The balance to begin with, and the highest. @default 20 */
  readonly capacity?: number | undefined;
  /** What a success pays in. @default 0.2 */
  readonly ratio?: number | undefined;
  /**
   * What a retry takes out, for all or per type of the failure that it follows. Where calls are paced, refusals and
   * time-outs cost nothing unless their type is named here. @default 1
   */
  readonly cost?: number | Readonly<Partial<Record<FailureType, number>>> | undefined;
}

/** When nothing is sent at all. */
export interface CircuitBreakerOptions {
  /**
   * `{ failures }` in a row, or a share of all calls: `{ failureRatio, windowMs, minimumCalls }`, of which the latter two
   * are 10000 and 20 unless given. @default { failures: 5 }
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
  /** Attempts let through after that; as many successes close the circuit, one failure opens it again. @default 1 */
  readonly probes?: number | undefined;
  /** `all` refuses first attempts too. @default 'retries' */
  readonly covers?: 'retries' | 'all' | undefined;
}

export interface GateOptions {
  /** false: nothing is paced or held; a hint binds only the call that got it. @default {} */
  readonly cooldown?: CooldownOptions | false | undefined;
  /** false: no budget. @default {} */
  readonly retryBudget?: RetryBudgetOptions | false | undefined;
  /** @default none */
  readonly circuitBreaker?: CircuitBreakerOptions | undefined;
  /** Shares pace and probes with the processes that use the same store: `redisStore(…)`. @default this process alone */
  readonly store?: Store | undefined;
  /** A store that answers later than this counts as lost; no call waits for it. @default 50 */
  readonly storeTimeoutMs?: number | undefined;
  /** Who shares a limit: a credential at an origin, a model of it, or who gets the same text. @default 'credential' */
  readonly key?: GateKey | undefined;
  /**
   * Listen to what the server announces with each answer (`x-ratelimit-remaining-*`, `anthropic-ratelimit-*`, `RateLimit`,
   * …): when nothing remains, no call is sent before the reset, and before that the pace is slowed so that it lasts.
   *
   * @default true in `presets.fleet()`, else false
   */
  readonly announced?: boolean | undefined;
  /** Estimates what a request costs in tokens; called at most once per session. Paces by tokens where they are announced. */
  readonly cost?: ((request: GateRequest) => number) | undefined;
  /** Calls of this process that may wait in line per key; one more is refused. Infinity is legal. @default 10000 */
  readonly maxWaiting?: number | undefined;
  /** Called with everything that the gate does to a call, at once; must not throw and is not waited for. */
  readonly onEvent?: ((event: GateEvent) => void) | undefined;
}

/** The options with every default filled in. */
export interface GateSettings {
  /** Whether calls are paced and held. */
  readonly cooldown: boolean;
  readonly longestHoldMs: number;
  readonly budget: BudgetRule | null;
  readonly circuit: CircuitRule | null;
  readonly costOf: (failure: Failure) => number;
  readonly announced: boolean;
  readonly cost: ((request: GateRequest) => number) | undefined;
  readonly store: Store | null;
  readonly storeTimeoutMs: number;
  readonly maxWaiting: number;
  readonly onEvent: ((event: GateEvent) => void) | undefined;
}

/** What each option may be. */
const checksOfOptions = (): { readonly [K in keyof GateOptions]-?: Check } => ({
  cooldown: membersOrFalse({ maxMs: number() }),
  retryBudget: membersOrFalse({ capacity: number(), ratio: number(), cost: expectCost }),
  circuitBreaker: members({
    opensAfter: members({
      failures: number({ min: 1, integer: true }),
      failureRatio: number(),
      windowMs: number({ min: 2 }),
      minimumCalls: number({ min: 1, integer: true }),
    }),
    openMs: number({ min: 1 }),
    probes: number({ min: 1, integer: true }),
    covers: oneOf(['retries', 'all']),
  }),
  store: is('a store such as redisStore(fromNodeRedis(client))', hasMethods('exchange')),
  storeTimeoutMs: number(),
  key: is('"credential", "model" or a function', (key) => key === 'credential' || key === 'model' || isFunction(key)),
  announced: flag,
  cost: expectFunction,
  maxWaiting: number({ integer: true, max: Infinity }),
  onEvent: expectFunction,
});

/** @throws TypeError if an option is invalid; the message names it */
export function resolveGateOptions(options: GateOptions): GateSettings {
  checkOptions('', expectObject('options', options, 'an object such as { maxWaiting: 100 }'), checksOfOptions());
  const { cooldown = {}, retryBudget = {}, circuitBreaker, store, announced = false, cost, onEvent } = options;
  const { capacity = 20, ratio = 0.2, cost: price = 1 } = retryBudget === false ? { cost: 0 } : retryBudget;
  const [usual, prices] = typeof price === 'number' ? [price, {}] : [1, price];
  return {
    cooldown: cooldown !== false,
    longestHoldMs: cooldown === false ? 0 : (cooldown.maxMs ?? 3_600_000),
    budget: retryBudget === false ? null : { capacity, ratio },
    circuit: circuitBreaker === undefined ? null : resolveCircuit(circuitBreaker),
    // What is paced costs nothing, unless the caller says what it costs.
    costOf: (failure) => prices[failure.type] ?? (cooldown !== false && isCongestion(failure) ? 0 : usual),
    announced,
    cost,
    store: store ?? null,
    storeTimeoutMs: options.storeTimeoutMs ?? 50,
    maxWaiting: options.maxWaiting ?? 10_000,
    onEvent,
  };
}

function members(checks: Checks): Check {
  return (name, value) => checkOptions(`${name}.`, expectObject(name, value, 'an object'), checks);
}

function membersOrFalse(checks: Checks): Check {
  return (name, value) =>
    value === false || checkOptions(`${name}.`, expectObject(name, value, 'false or an object'), checks);
}

function expectCost(name: string, value: unknown): void {
  if (typeof value === 'number') expectNumber(name, value);
  else
    for (const [type, cost] of Object.entries(expectObject(name, value, 'a number, or numbers per type of failure'))) {
      if (!isFailureType(type))
        throw new TypeError(`Expected the keys of \`${name}\` to be failure types, got "${type}".`);
      expectNumber(`${name}.${type}`, cost);
    }
}

function resolveCircuit(options: CircuitBreakerOptions): CircuitRule {
  const { opensAfter = { failures: 5 }, openMs = 5_000, probes = 1, covers = 'retries' } = options;
  const { failures } = opensAfter;
  if (failures !== undefined) return { opensAfter: { failures }, openMs, probes, covers };
  const { failureRatio, windowMs = 10_000, minimumCalls = 20 } = opensAfter;
  expectNumber('circuitBreaker.opensAfter.failureRatio', failureRatio, { min: 0.01, max: 1 });
  return { opensAfter: { failureRatio, windowMs, minimumCalls }, openMs, probes, covers };
}
