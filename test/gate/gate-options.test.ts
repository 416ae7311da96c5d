import { describe, expect, test } from 'vitest';
import { type GateOptions, resolveGateOptions } from '../../src/gate/gate-options.ts';

describe('the options of a gate', () => {
  test('have defaults: a cooldown and a budget, and no breaker', () => {
    const settings = resolveGateOptions({});
    expect(settings.rules).toEqual({
      cooldown: { maxMs: 3_600_000, startIntervalMs: 0 },
      budget: { capacity: 5, ratio: 0.1 },
      circuit: null,
    });
    expect(settings).toMatchObject({ spread: 0.5, store: null, storeTimeoutMs: 50, maxWaiting: 1_000 });
    expect(settings.costOf('overloaded')).toBe(1);
  });

  test('switch parts off', () => {
    const settings = resolveGateOptions({ cooldown: false, retryBudget: false });
    expect(settings.rules).toEqual({ cooldown: null, budget: null, circuit: null });
    expect(settings.costOf('overloaded')).toBe(0);
  });

  test('set a price per type of failure', () => {
    const { costOf } = resolveGateOptions({ retryBudget: { cost: { timeout: 2 } } });
    expect([costOf('timeout'), costOf('overloaded')]).toEqual([2, 1]);
    expect(resolveGateOptions({ retryBudget: { cost: 3 } }).costOf('timeout')).toBe(3);
  });

  test('say what opens the breaker', () => {
    expect(resolveGateOptions({ circuitBreaker: {} }).rules.circuit).toEqual({
      count: { kind: 'consecutive', failures: 5 },
      openMs: 5_000,
      probes: 1,
      covers: 'retries',
    });
    const circuitBreaker = { opensAfter: { failureRatio: 0.5 }, openMs: 100, probes: 3, covers: 'all' } as const;
    expect(resolveGateOptions({ circuitBreaker }).rules.circuit).toEqual({
      count: { kind: 'windowed', failureRatio: 0.5, windowMs: 10_000, minimumCalls: 20 },
      openMs: 100,
      probes: 3,
      covers: 'all',
    });
  });

  test.each<GateOptions>([
    { maxWaiting: Number.POSITIVE_INFINITY },
    { maxWaiting: 0, storeTimeoutMs: 0 },
    { cooldown: { maxMs: 0, spread: 0 } },
    { cooldown: { spread: 1 } },
    { retryBudget: { capacity: 0, ratio: 0, cost: 0 } },
    { retryBudget: { cost: { timeout: 0 } } },
    { circuitBreaker: { opensAfter: { failures: 1 }, openMs: 1, probes: 1 } },
    { circuitBreaker: { opensAfter: { failureRatio: 0.01, windowMs: 2, minimumCalls: 1 } } },
    { circuitBreaker: { opensAfter: { failureRatio: 1 } } },
  ])('may be as little or as much as %j', (options) => {
    expect(() => resolveGateOptions(options)).not.toThrow();
  });

  test.each([
    [{ cooldown: { spread: -0.1 } }, /^Expected `cooldown.spread` to be .*got -0.1\.$/],
    [{ maxWaiting: -1 }, /^Expected `maxWaiting` to be .*got -1\.$/],
    [{ circuitBreaker: { probes: 1.5 } }, /^Expected `circuitBreaker.probes` to be .*got 1.5\.$/],
    [
      { circuitBreaker: { opensAfter: { failures: 1.5 } } },
      /^Expected `circuitBreaker.opensAfter.failures` to be .*got 1.5\.$/,
    ],
    [
      { circuitBreaker: { opensAfter: { failureRatio: 1.1 } } },
      /^Expected `circuitBreaker.opensAfter.failureRatio` to be .*got 1.1\.$/,
    ],
    [
      { circuitBreaker: { opensAfter: { failureRatio: 0.5, windowMs: 1 } } },
      /^Expected `circuitBreaker.opensAfter.windowMs` to be .*got 1\.$/,
    ],
    [
      { circuitBreaker: { opensAfter: { failureRatio: 0.5, minimumCalls: 0 } } },
      /^Expected `circuitBreaker.opensAfter.minimumCalls` to be .*got 0\.$/,
    ],
    [
      { circuitBreaker: { opensAfter: { failureRatio: 0.5, minimumCalls: 1.5 } } },
      /^Expected `circuitBreaker.opensAfter.minimumCalls` to be .*got 1.5\.$/,
    ],
    [{ cooldown: { maxMs: -1 } }, /^Expected `cooldown.maxMs` to be .*got -1\.$/],
    [{ cooldown: { spread: 2 } }, /^Expected `cooldown.spread` to be .*got 2\.$/],
    [{ retryBudget: { capacity: Number.NaN } }, /^Expected `retryBudget.capacity` to be .*got NaN\.$/],
    [{ retryBudget: { ratio: -1 } }, /^Expected `retryBudget.ratio` to be .*got -1\.$/],
    [{ retryBudget: { cost: -1 } }, /^Expected `retryBudget.cost` to be .*got -1\.$/],
    [{ retryBudget: { cost: { timeout: -1 } } }, /^Expected `retryBudget.cost.timeout` to be .*got -1\.$/],
    [
      { retryBudget: { cost: { tiemout: 1 } } },
      'Expected the keys of `retryBudget.cost` to be failure types, got "tiemout".',
    ],
    [{ circuitBreaker: { openMs: 0 } }, /^Expected `circuitBreaker.openMs` to be .*got 0\.$/],
    [{ circuitBreaker: { probes: 0 } }, /^Expected `circuitBreaker.probes` to be .*got 0\.$/],
    [{ circuitBreaker: { covers: 'none' } }, 'Expected `circuitBreaker.covers` to be "retries" or "all", got "none".'],
    [
      { circuitBreaker: { opensAfter: { failures: 0 } } },
      /^Expected `circuitBreaker.opensAfter.failures` to be .*got 0\.$/,
    ],
    [
      { circuitBreaker: { opensAfter: { failureRatio: 0 } } },
      /^Expected `circuitBreaker.opensAfter.failureRatio` to be .*got 0\.$/,
    ],
    [{ storeTimeoutMs: -1 }, /^Expected `storeTimeoutMs` to be .*got -1\.$/],
    [{ maxWaiting: 1.5 }, /^Expected `maxWaiting` to be .*got 1.5\.$/],
    [{ onEvent: 'log' }, 'Expected `onEvent` to be a function, got string.'],
    [{ store: {} }, 'Expected `store` to be a store such as memoryStore() or redisStore(fromNodeRedis(client)).'],
    [{ store: null }, 'Expected `store` to be a store such as memoryStore() or redisStore(fromNodeRedis(client)).'],
  ])('refuse %j and name the fix', (options, message) => {
    const resolve = (): unknown => resolveGateOptions(options as unknown as GateOptions);
    expect(resolve).toThrow(TypeError);
    expect(resolve).toThrow(message);
  });
});
