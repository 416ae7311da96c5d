/** The options of a gate, checked once. */

import type { GateEvent } from '../events/gate-event.ts';
import { expectNumber } from '../failure/expect.ts';
import { type Failure, FAILURES, type FailureType } from '../failure/failure.ts';
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

/** @throws TypeError if an option is invalid; the message names it */
export function resolveGateOptions(options: GateOptions): GateSettings {
  const { cooldown = {}, retryBudget = {}, circuitBreaker, announced = false, cost, onEvent } = options;
  const { store, storeTimeoutMs = 50, maxWaiting = 10_000 } = options;
  expectNumber('storeTimeoutMs', storeTimeoutMs);
  expectNumber('maxWaiting', maxWaiting, { integer: true, max: Infinity });
  for (const [name, given] of Object.entries({ onEvent, cost })) {
    if (given !== undefined && typeof given !== 'function')
      throw new TypeError(`Expected \`${name}\` to be a function, got ${typeof given}.`);
  }
  if (store !== undefined && typeof store?.exchange !== 'function')
    throw new TypeError('Expected `store` to be a store such as redisStore(fromNodeRedis(client)).');
  if (typeof announced !== 'boolean')
    throw new TypeError(`Expected \`announced\` to be true or false, got ${typeof announced}.`);
  return {
    cooldown: cooldown !== false,
    longestHoldMs: cooldown === false ? 0 : expectNumber('cooldown.maxMs', cooldown.maxMs ?? 3_600_000),
    budget:
      retryBudget === false
        ? null
        : {
            capacity: expectNumber('retryBudget.capacity', retryBudget.capacity ?? 20),
            ratio: expectNumber('retryBudget.ratio', retryBudget.ratio ?? 0.2),
          },
    circuit: circuitBreaker === undefined ? null : resolveCircuit(circuitBreaker),
    costOf: resolveCost(cooldown !== false, retryBudget === false ? 0 : retryBudget.cost),
    announced,
    cost,
    store: store ?? null,
    storeTimeoutMs,
    maxWaiting,
    onEvent,
  };
}

/** What is paced costs nothing, unless the caller says what it costs. */
function resolveCost(paces: boolean, cost: RetryBudgetOptions['cost'] = 1): (failure: Failure) => number {
  const costs = typeof cost === 'number' ? {} : cost;
  const otherwise = typeof cost === 'number' ? expectNumber('retryBudget.cost', cost) : 1;
  for (const [type, value] of Object.entries(costs)) {
    if (!(type in FAILURES))
      throw new TypeError(`Expected the keys of \`retryBudget.cost\` to be failure types, got "${type}".`);
    expectNumber(`retryBudget.cost.${type}`, value);
  }
  return (failure) => costs[failure.type] ?? (paces && isCongestion(failure) ? 0 : otherwise);
}

function resolveCircuit(options: CircuitBreakerOptions): CircuitRule {
  const { opensAfter = { failures: 5 }, openMs = 5_000, probes = 1, covers = 'retries' } = options;
  expectNumber('circuitBreaker.openMs', openMs, { min: 1 });
  expectNumber('circuitBreaker.probes', probes, { min: 1, integer: true });
  if (covers !== 'retries' && covers !== 'all')
    throw new TypeError(`Expected \`circuitBreaker.covers\` to be "retries" or "all", got ${JSON.stringify(covers)}.`);
  if ('failures' in opensAfter) {
    const { failures } = opensAfter;
    expectNumber('circuitBreaker.opensAfter.failures', failures, { min: 1, integer: true });
    return { opensAfter: { failures }, openMs, probes, covers };
  }
  const { failureRatio, windowMs = 10_000, minimumCalls = 20 } = opensAfter;
  expectNumber('circuitBreaker.opensAfter.failureRatio', failureRatio, { min: 0.01, max: 1 });
  expectNumber('circuitBreaker.opensAfter.windowMs', windowMs, { min: 2 });
  expectNumber('circuitBreaker.opensAfter.minimumCalls', minimumCalls, { min: 1, integer: true });
  return { opensAfter: { failureRatio, windowMs, minimumCalls }, openMs, probes, covers };
}
