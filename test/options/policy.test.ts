import { describe, expect, test, vi } from 'vitest';
import { exponential, stepped } from '../../src/options/backoff.ts';
import { DEFAULT_RETRY_CONFIG, type RetryConfig } from '../../src/options/config.ts';
import { RetryController } from '../../src/events/controller.ts';
import {
  createFallback,
  createGate,
  createKeyRotation,
  createRetryFetch,
  FetchTransport,
  RetryTransport,
} from '../../src/index.ts';
import { mergeConfig, operationSafety, resolveConfig, unknownLabel } from '../../src/options/policy.ts';
import { systemRuntime } from '../../src/runtime/runtime.ts';
import { createStreamWatch } from '../../src/stream/watch.ts';

describe('a schedule without an end', () => {
  test.each<[string, RetryConfig]>([
    ['endless retries', { maxRetries: Number.POSITIVE_INFINITY }],
    ['a list whose last step repeats', { backoff: stepped([1_000]) }],
    ['an exponential one', { backoff: exponential() }],
    ['a budget that zero waits never spend', { backoff: stepped([0]), maxTotalDelayMs: 1_000 }],
    ['one of the caller', { backoff: { delayFor: () => 10 } }],
    ['one of the caller that gives no number', { backoff: { delayFor: () => Number.NaN }, maxTotalDelayMs: 1_000 }],
  ])('is refused: %s', (_title, config) => {
    expect(() => resolveConfig(config)).toThrow(
      /^Expected a schedule that ends: set `maxTotalDelayMs`, `maxElapsedMs` or a finite `maxRetries`/,
    );
  });

  test.each<[string, RetryConfig]>([
    ['a count', { backoff: stepped([1_000]), maxRetries: 5 }],
    ['a budget', { backoff: stepped([1_000]), maxTotalDelayMs: 5_000 }],
    ['a deadline', { backoff: stepped([0]), maxElapsedMs: 5_000 }],
    ['a list without a tail', { backoff: stepped([1_000], { tailMs: null }) }],
    ['a budget in the schedule', { backoff: stepped([1_000], { budgetMs: 5_000 }) }],
    ['a count in the schedule', { backoff: stepped([1_000], { maxRetries: 5 }) }],
    ['endless retries with a budget', { maxRetries: Number.POSITIVE_INFINITY, maxTotalDelayMs: 60_000 }],
    [
      'endless retries with full jitter and a budget',
      { maxRetries: Number.POSITIVE_INFINITY, jitter: 'full', maxTotalDelayMs: 1 },
    ],
  ])('is accepted with %s', (_title, config) => {
    expect(() => resolveConfig(config)).not.toThrow();
  });
});

describe('defaults', () => {
  test('are the documented ones', () => {
    expect(DEFAULT_RETRY_CONFIG).toMatchObject({
      maxRetries: 3,
      baseDelayMs: 1_000,
      maxDelayMs: 60_000,
      backoffMultiplier: 2,
      jitter: 'symmetric',
      jitterFactor: 0.2,
      retryAfter: 'obey',
      retryAfterPaddingFactor: 0,
      guardStreams: true,
      guardJson: 'model-requests',
      throwOnExhausted: false,
      markFinalResponse: false,
    });
    expect(DEFAULT_RETRY_CONFIG.retryableStatusCodes).toEqual(
      expect.arrayContaining([408, 429, 500, 502, 503, 504, 529]),
    );
    expect(Object.isFrozen(DEFAULT_RETRY_CONFIG)).toBe(true);
  });

  test('apply to undefined', () => {
    const nothing: { [K in keyof RetryConfig]: undefined } = {
      maxRetries: undefined,
      baseDelayMs: undefined,
      maxDelayMs: undefined,
      jitter: undefined,
      retryAfter: undefined,
      retryableStatusCodes: undefined,
      maxRetryAfterMs: undefined,
      runtime: undefined,
      strategies: undefined,
      controller: undefined,
    };
    const resolved = resolveConfig(nothing);
    expect(JSON.stringify(resolved)).toBe(JSON.stringify(resolveConfig()));
    expect(resolved.runtime).toEqual(systemRuntime);
  });

  test('mean the same if they are set explicitly', () => {
    const policy = resolveConfig(structuredClone(DEFAULT_RETRY_CONFIG));
    expect(policy.retryableStatusCodes).toBeNull();
    expect(policy.maxRetryAfterMs).toBe(60_000);
    expect(policy.maxRetries).toBe(3);
  });

  test('unknown options are ignored', () => {
    const config = { maxRetries: 1, somethingElse: true };
    expect(resolveConfig(config).maxRetries).toBe(1);
  });

  test('make the longest hint follow maxDelayMs unless it is set', () => {
    expect(resolveConfig({ maxDelayMs: 5_000 }).maxRetryAfterMs).toBe(5_000);
    expect(resolveConfig({ maxDelayMs: 5_000, maxRetryAfterMs: 9_000 }).maxRetryAfterMs).toBe(9_000);
  });

  test('let a schedule end itself', () => {
    expect(resolveConfig({ backoff: stepped([1, 2], { tailMs: null }) }).maxRetries).toBe(Number.POSITIVE_INFINITY);
    expect(resolveConfig({ backoff: stepped([1, 2]), maxRetries: 7 }).maxRetries).toBe(7);
  });
});

describe('a given option', () => {
  test('can be changed afterwards without an effect', () => {
    const codes = [429];
    const policy = resolveConfig({ retryableStatusCodes: codes });
    codes.push(500);
    expect(policy.retryableStatusCodes).toEqual([429]);
  });

  test('of a limit that is Infinity is no limit', () => {
    expect(resolveConfig({ attemptTimeoutMs: Number.POSITIVE_INFINITY }).attemptTimeoutMs).toBeUndefined();
  });

  test('of a guard is completed, and false disables it', () => {
    const clocks = { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };
    const none = { idleTimeoutMs: Infinity, outputTimeoutMs: Infinity };
    const usual = { until: 'content', maxHoldMs: 30_000, maxHoldBytes: 262_144, ...none };
    expect(resolveConfig().guard).toEqual(usual);
    expect(resolveConfig({ guardStreams: { maxHoldMs: 5 } }).guard).toEqual({ ...usual, maxHoldMs: 5 });
    expect(resolveConfig({ attemptTimeoutMs: 60_000 })).toMatchObject({
      guard: { maxHoldMs: 60_000 },
      maxJsonHoldMs: 60_000,
    });
    expect(resolveConfig({ guardStreams: { until: 'text' } }).guard).toEqual({
      ...clocks,
      until: 'text',
      maxHoldMs: Infinity,
      maxHoldBytes: 1_048_576,
    });
    const streamWatch = createStreamWatch({ idleTimeoutMs: 1_000 });
    expect(resolveConfig({ guardStreams: { until: 'end', maxHoldMs: 9 }, streamWatch }).guard).toEqual({
      until: 'end',
      maxHoldMs: 9,
      maxHoldBytes: 16_777_216,
      ...clocks,
      idleTimeoutMs: 1_000,
    });
    expect(resolveConfig({ guardStreams: false }).guard).toBeNull();
  });

  test('of a controller and labels is accepted', () => {
    expect(() =>
      resolveConfig({ controller: new RetryController(), operation: 'deploy', requestId: () => 'id' }),
    ).not.toThrow();
  });
});

describe('a runtime', () => {
  test('is completed with the real parts', () => {
    const { runtime } = resolveConfig({ runtime: { now: () => 42 } });
    expect(runtime.now()).toBe(42);
    expect(runtime.monotonic()).toBe(42);
    expect(runtime).toMatchObject({ random: systemRuntime.random, sleep: systemRuntime.sleep });
  });

  test('may have a monotonic clock besides the adjustable one', () => {
    class Clocks {
      elapsed = 7;
      now = (): number => 42;
      monotonic(): number {
        return this.elapsed;
      }
    }
    const { runtime } = resolveConfig({ runtime: new Clocks() });
    expect([runtime.now(), runtime.monotonic()]).toEqual([42, 7]);
    expect(resolveConfig({ runtime: { random: () => 0 } }).runtime.monotonic).toBe(systemRuntime.monotonic);
  });

  test('may be an instance of a class', async () => {
    class Clock {
      time = 7;
      now(): number {
        return this.time;
      }
      random(): number {
        return this.time / 10;
      }
      async sleep(ms: number): Promise<void> {
        this.time += ms;
      }
    }
    const clock = new Clock();
    const { runtime } = resolveConfig({ runtime: clock });
    expect([runtime.now(), runtime.random()]).toEqual([7, 0.7]);
    await runtime.sleep(3);
    expect([clock.time, runtime.now()]).toEqual([10, 10]);
  });
});

test.each([
  [Number.NaN, 0],
  [-1, 0],
  [2, 1],
  [0.3, 0.3],
])('a random number of %d counts as %d', (drawn, expected) => {
  expect(resolveConfig({ runtime: { random: () => drawn } }).runtime.random()).toBe(expected);
});

describe('strategies', () => {
  test('are merged over the row of their type', () => {
    const { strategies } = resolveConfig({ strategies: { server_error: { jitter: 'none' } } });
    const strategy = strategies.get('server_error');
    expect(strategy?.maxAttempts).toBe(3);
    expect([0, 1].map((retry) => strategy?.backoff.delayFor(retry))).toEqual([1_000, 2_000]);
  });

  test('obey a maxDelayMs that was given', () => {
    const { strategies } = resolveConfig({ maxDelayMs: 10, strategies: { server_error: { jitter: 'none' } } });
    expect(strategies.get('server_error')?.backoff.delayFor(0)).toBe(10);
  });

  test('for a type without a row of its own get one attempt by default', () => {
    const { strategies } = resolveConfig({
      // @ts-expect-error -- callers in JavaScript
      strategies: { unknown: {}, auth_invalid: { maxAttempts: 2, initialDelayMs: 50 }, timeout: undefined },
    });
    expect(strategies.get('unknown')?.maxAttempts).toBe(1);
    expect(strategies.get('auth_invalid')?.backoff.delayFor(0)).toBe(50);
    expect(strategies.has('timeout')).toBe(false);
  });
});

describe('overrides', () => {
  test('replace the options that they set and keep the rest', () => {
    const onRetry = vi.fn<() => void>();
    const merged = mergeConfig({ maxRetries: 5, jitter: 'none', onRetry }, { maxRetries: 1 });
    expect(merged).toEqual({ maxRetries: 1, jitter: 'none', onRetry });
  });

  test.each([[undefined], [null], ['patient']])('that are no object are refused: %j', (overrides) => {
    const message = /^Expected `config` to be an object such as \{ maxRetries: 3 \}, got /;
    // @ts-expect-error -- callers in JavaScript
    expect(() => createRetryFetch().with(overrides)).toThrow(message);
    // @ts-expect-error -- callers in JavaScript
    expect(() => new RetryTransport(new FetchTransport()).with(overrides)).toThrow(message);
  });

  test('that are undefined change nothing', () => {
    expect(mergeConfig({ maxRetries: 5 }, { maxRetries: undefined })).toEqual({ maxRetries: 5 });
  });
});

test.each<[string, RetryConfig, boolean, boolean]>([
  ['by default', {}, false, true],
  ['with a limit on each attempt', { attemptTimeoutMs: 5 }, true, true],
  ['with a header for each retry', { attemptHeader: 'x-retry-count' }, false, true],
  ['with an endless limit on each attempt', { attemptTimeoutMs: Number.POSITIVE_INFINITY }, false, true],
  ['with an idempotency key', { idempotencyKeyHeader: 'idempotency-key' }, true, true],
  ['with a rotation of keys', { fallback: createKeyRotation({ keys: ['k'] }) }, true, true],
  ['with a chain', { fallback: createFallback({ targets: [{ name: 'other' }] }), maxRetries: 0 }, false, true],
  ['without retries', { maxRetries: 0 }, false, false],
  ['with a gate and no retries', { maxRetries: 0, gate: createGate() }, false, false],
])(
  '%s a first attempt is more than a plain call where it must be, and copies are kept where a retry may follow',
  (_what, config, plans, repeats) => {
    const policy = resolveConfig({ ...config, guardJson: true });
    expect([policy.plansFirst, policy.repeats]).toEqual([plans, repeats]);
    const looks = repeats || config.gate !== undefined;
    expect([policy.guard !== null, policy.guardJson]).toEqual([looks, looks]);
  },
);

test('an unknown operation is irreversible by default, and none is safe', () => {
  const request = { method: 'POST', url: 'https://api.example.com/', body: undefined };
  const safety = (config: RetryConfig): string => operationSafety(resolveConfig(config), request);
  expect(safety({})).toBe('safe');
  expect(safety({ operation: 'odd' })).toBe('irreversible');
  expect(safety({ operation: 'odd', unknownOperation: 'conditional' })).toBe('conditional');
  expect(safety({ operation: ({ method }) => (method === 'POST' ? 'model_request' : 'odd') })).toBe('safe');
});

test('a label that is not known is reported, unless `unknownOperation` is set', () => {
  const request = { method: 'POST', url: 'https://api.example.com/', body: undefined };
  const unknown = (config: RetryConfig): string | undefined => unknownLabel(resolveConfig(config), request);
  expect(unknown({})).toBeUndefined();
  expect(unknown({ operation: 'publish' })).toBeUndefined();
  expect(unknown({ operation: 'odd' })).toBe('odd');
  expect(unknown({ operation: 'odd', unknownOperation: 'safe' })).toBeUndefined();
  expect(unknown({ operation: 'publish', unknownOperation: 'safe' })).toBeUndefined();
});

test('jitter may add to a hint, except for the jitter none', () => {
  expect(resolveConfig({ jitterFactor: 0.3 }).hintSpread).toBe(0.3);
  expect(resolveConfig({ jitter: 'full', jitterFactor: 0.3 }).hintSpread).toBe(0.3);
  expect(resolveConfig({ jitter: 'none', jitterFactor: 0.3 }).hintSpread).toBe(0);
});

test.each<[string, RetryConfig, number]>([
  ['as long as a stream', { guardStreams: { maxHoldMs: 700 } }, 700],
  ['as long as an attempt', { guardStreams: { until: 'end' }, attemptTimeoutMs: 900 }, 900],
  ['as long as an attempt, if no stream is held', { guardStreams: false, attemptTimeoutMs: 900 }, 900],
  ['half a minute', {}, 30_000],
])('a JSON body is held %s', (_title, config, ms) => {
  expect(resolveConfig(config).maxJsonHoldMs).toBe(ms);
});

test.each<[string, RetryConfig, boolean]>([
  ['no gate and no chain', {}, false],
  ['a gate', { gate: createGate() }, true],
  ['a chain in a fixed order', { fallback: createFallback({ targets: [{ name: 'other' }] }) }, false],
  ['a rotation of keys', { fallback: createKeyRotation({ keys: ['k'] }) }, true],
])('an attempt takes a turn before it is sent where that is needed, with %s', (_title, config, takes) => {
  expect(resolveConfig(config).takesTurns).toBe(takes);
});

test('bodies of failures are read where a retry, a gate or a listener needs what they say', () => {
  const reads = (config: RetryConfig): boolean => resolveConfig(config).readsBodies;
  expect([reads({}), reads({ maxRetries: 0 }), reads({ maxRetries: 0, gate: createGate() })]).toEqual([
    true,
    false,
    true,
  ]);
  expect(reads({ maxRetries: 0, onEvent: () => {} })).toBe(true);
  expect(reads({ maxRetries: 0, throwOnExhausted: true })).toBe(true);
  expect(reads({ maxRetries: 0, baseDelayMs: 5 })).toBe(false);
});

test('a choice of requests hears the method and the URL only', () => {
  const retryOnly = vi.fn(() => true);
  const request = { method: 'POST', url: 'https://api.example.com/v1', body: '{}' };
  expect(resolveConfig({ retryOnly }).chooses?.(request)).toBe(true);
  expect(retryOnly).toHaveBeenCalledExactlyOnceWith({ method: 'POST', url: request.url });
  expect(resolveConfig({ retryOnly: 'model-requests' }).chooses?.(request)).toBe(false);
  expect(resolveConfig({}).chooses).toBeUndefined();
});
