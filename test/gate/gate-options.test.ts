import { describe, expect, test } from 'vitest';
import { type GateOptions, resolveGateOptions } from '../../src/gate/gate-options.ts';
import { unavailable } from './failures.ts';

const serverError = { ...unavailable, type: 'server_error' } as const;

describe('the options of a gate', () => {
  test('have defaults: a cooldown and a budget, and no breaker', () => {
    const settings = resolveGateOptions({});
    expect(settings).toMatchObject({
      longestHoldMs: 3_600_000,
      budget: { capacity: 20, ratio: 0.2 },
      circuit: null,
      announced: true,
      store: null,
      maxWaiting: 10_000,
      limits: null,
    });
    expect(resolveGateOptions({ limits: { burst: 5 } }).limits).toBeNull();
    expect([settings.costOf(unavailable), settings.costOf(serverError)]).toEqual([0, 1]);
  });

  test('switch parts off', () => {
    const settings = resolveGateOptions({ cooldown: false, retryBudget: false });
    expect(settings).toMatchObject({ longestHoldMs: null, budget: null, circuit: null });
    expect(resolveGateOptions({ cooldown: false }).costOf(unavailable)).toBe(1);
  });

  test('set what opens the breaker', () => {
    expect(resolveGateOptions({ circuitBreaker: {} }).circuit).toEqual({
      opensAfter: { failures: 5 },
      openMs: 5_000,
      covers: 'retries',
    });
    const circuitBreaker = {
      opensAfter: { failures: undefined, failureRatio: 0.5 },
      openMs: 100,
      covers: 'all',
    } as const;
    expect(resolveGateOptions({ circuitBreaker }).circuit).toEqual({
      opensAfter: { failureRatio: 0.5, windowMs: 10_000, minimumCalls: 20 },
      openMs: 100,
      covers: 'all',
    });
  });

  test.each<GateOptions>([
    { maxWaiting: Number.POSITIVE_INFINITY },
    { maxWaiting: 0 },
    { cooldown: { maxMs: 0 } },
    { retryBudget: { capacity: 0, ratio: 0 } },
    { circuitBreaker: { opensAfter: { failures: 1 }, openMs: 1 } },
    { circuitBreaker: { opensAfter: { failureRatio: 0.01, windowMs: 2, minimumCalls: 1 } } },
    { circuitBreaker: { opensAfter: { failureRatio: 1 } } },
    { key: 'credential' },
    { key: 'model' },
    { key: () => 'one' },
  ])('accept the limits %j', (options) => {
    expect(() => resolveGateOptions(options)).not.toThrow();
  });

  const opens = (opensAfter: object): object => ({ circuitBreaker: { opensAfter } });

  test.each<[object, string, string]>([
    [{ maxWaiting: -1 }, 'maxWaiting', '-1'],
    [{ circuitBreaker: { openMs: 0 } }, 'circuitBreaker.openMs', '0'],
    [opens({ failures: 1.5 }), 'circuitBreaker.opensAfter.failures', '1.5'],
    [opens({ failureRatio: 1.1 }), 'circuitBreaker.opensAfter.failureRatio', '1.1'],
    [opens({ failureRatio: 0.5, windowMs: 1 }), 'circuitBreaker.opensAfter.windowMs', '1'],
    [opens({ failureRatio: 0.5, minimumCalls: 0 }), 'circuitBreaker.opensAfter.minimumCalls', '0'],
    [opens({ failureRatio: 0.5, minimumCalls: 1.5 }), 'circuitBreaker.opensAfter.minimumCalls', '1.5'],
    [{ cooldown: { maxMs: -1 } }, 'cooldown.maxMs', '-1'],
    [{ retryBudget: { capacity: Number.NaN } }, 'retryBudget.capacity', 'NaN'],
    [{ retryBudget: { ratio: -1 } }, 'retryBudget.ratio', '-1'],
    [opens({ windowMs: 5_000 }), 'circuitBreaker.opensAfter.failureRatio', 'undefined'],
    [opens({ failures: 0 }), 'circuitBreaker.opensAfter.failures', '0'],
    [opens({ failureRatio: 0 }), 'circuitBreaker.opensAfter.failureRatio', '0'],
    [{ limits: { concurrent: 0 } }, 'limits.concurrent', '0'],
    [{ limits: { concurrent: 1.5 } }, 'limits.concurrent', '1.5'],
    [{ limits: { requestsPerMinute: Infinity } }, 'limits.requestsPerMinute', 'Infinity'],
    [{ limits: { requestsPerDay: 0.5 } }, 'limits.requestsPerDay', '0.5'],
    [{ limits: { burst: 0 } }, 'limits.burst', '0'],
    [{ maxWaiting: 1.5 }, 'maxWaiting', '1.5'],
  ])('refuse %j, a wrong number of `%s`', (options, name, value) => {
    const resolve = (): unknown => resolveGateOptions(options);
    expect(resolve).toThrow(TypeError);
    expect(resolve).toThrow(new RegExp(`^Expected \`${name}\` to be .*got ${value.replace('.', String.raw`\.`)}\\.$`));
  });

  test.each<readonly [unknown, string | RegExp]>([
    [
      { circuitBreaker: { covers: 'none' } },
      "Expected `circuitBreaker.covers` to be one of 'retries', 'all', got \"none\".",
    ],
    [{ circuitBreaker: { opensAfter: 2 } }, 'Expected `circuitBreaker.opensAfter` to be an object, got 2.'],
    [{ circuitBreaker: null }, 'Expected `circuitBreaker` to be an object, got null.'],
    [{ cooldown: null }, 'Expected `cooldown` to be false or an object, got null.'],
    [{ retryBudget: 5 }, 'Expected `retryBudget` to be false or an object, got 5.'],
    [{ circuitBreakers: {} }, 'Unknown option `circuitBreakers`. Did you mean `circuitBreaker`?'],
    [null, 'Expected `options` to be an object such as { maxWaiting: 100 }, got null.'],
    [{ limits: null }, 'Expected `limits` to be an object such as { requestsPerMinute: 40 }, got null.'],
    [{ limits: { requestsPerSecond: 0 } }, 'Expected `limits.requestsPerSecond` to be a number above 0, got 0.'],
    [
      { limits: { tokensPerMinute: 1_000 } },
      'Expected `cost` beside `limits.tokensPerMinute`: a function that estimates the tokens of a request.',
    ],
    [
      { limits: { requestPerMinute: 40 } },
      'Unknown option `limits.requestPerMinute`. Did you mean `requestsPerMinute`?',
    ],
    [{ limits: { everyHour: 40 } }, /^Unknown limit `limits.everyHour`. Use one of `concurrent`, /],
    [{ limits: { rpm: 40 } }, 'Unknown option `limits.rpm`. Use `requestsPerMinute`.'],
    ...['limit', 'rpm', 'requestsPerMinute', 'maxConcurrent', 'concurrency', 'burst'].map(
      (name) =>
        [
          { [name]: 2 },
          `Unknown option \`${name}\`. Use \`limits: { requestsPerMinute: 40, concurrent: 4 }\`.`,
        ] as const,
    ),
    [{ onEvent: 'log' }, 'Expected `onEvent` to be a function, got "log".'],
    [{ store: {} }, 'Expected `store` to be a store such as redisStore(fromNodeRedis(client)), got an object.'],
    [{ store: null }, 'Expected `store` to be a store such as redisStore(fromNodeRedis(client)), got null.'],
  ])('refuse %j and say how to fix it', (options, message) => {
    const resolve = (): unknown => resolveGateOptions(options as GateOptions);
    expect(resolve).toThrow(TypeError);
    expect(resolve).toThrow(message);
  });
});
