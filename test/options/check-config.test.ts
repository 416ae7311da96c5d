import { describe, expect, test } from 'vitest';
import { exponential, stepped } from '../../src/options/backoff.ts';
import { checkConfig, refuseEndless } from '../../src/options/check-config.ts';
import type { RetryConfig } from '../../src/options/config.ts';
import { presets } from '../../src/options/presets.ts';
import {
  createFallback,
  createGate,
  createRetryFetch,
  FetchTransport,
  RetryController,
  RetryTransport,
  withRetry,
} from '../../src/index.ts';
import { FOREIGN_NAMES } from '../../src/options/foreign-names.ts';
import { optionsTable } from '../../scripts/list-options.ts';
import { fakeRuntime, script, URL_OF_TEST } from '../script.ts';

describe('an invalid option is refused by its name', () => {
  test.each<[string, unknown, RegExp]>([
    ['maxRetries', Number.NaN, /^Expected `maxRetries` to be an integer ≥ 0, got NaN\.$/],
    ['maxRetries', -1, /`maxRetries`.*got -1/],
    ['maxRetries', 1.5, /`maxRetries`.*got 1\.5/],
    ['maxRetries', '3', /`maxRetries`.*got "3"/],
    ['maxRetries', null, /`maxRetries`.*got null/],
    ['baseDelayMs', -1, /`baseDelayMs`/],
    ['baseDelayMs', Number.POSITIVE_INFINITY, /`baseDelayMs`/],
    ['maxDelayMs', Number.NaN, /`maxDelayMs`/],
    ['maxDelayMs', -5, /`maxDelayMs`/],
    ['backoffMultiplier', 0, /`backoffMultiplier`/],
    ['backoffMultiplier', Number.NaN, /`backoffMultiplier`/],
    ['backoffMultiplier', '2', /`backoffMultiplier`/],
    ['jitter', 'equal', /`jitter` to be one of 'none', 'symmetric', 'full', 'down', got "equal"/],
    ['jitter', true, /`jitter`/],
    ['jitterFactor', 1.1, /`jitterFactor` to be a number from 0 to 1, got 1\.1/],
    ['jitterFactor', -0.1, /`jitterFactor`/],
    ['maxTotalDelayMs', -1, /`maxTotalDelayMs`/],
    ['maxElapsedMs', Number.NaN, /`maxElapsedMs`/],
    ['attemptTimeoutMs', 0, /`attemptTimeoutMs`/],
    ['attemptTimeoutMs', '10', /`attemptTimeoutMs`/],
    ['maxRetryAfterMs', -1, /`maxRetryAfterMs`/],
    ['retryAfterPaddingFactor', -1, /`retryAfterPaddingFactor`/],
    ['retryAfterPaddingFactor', Number.POSITIVE_INFINITY, /`retryAfterPaddingFactor`/],
    ['guardJson', 'no', /`guardJson` to be true, false or 'model-requests', got "no"/],
    ['throwOnExhausted', 'false', /`throwOnExhausted`/],
    ['markFinalResponse', 1, /`markFinalResponse`/],
    ['retryIrreversible', null, /`retryIrreversible`/],
    ['strategies', { timeout: { respectRetryAfter: 'no' } }, /`strategies\.timeout\.respectRetryAfter`/],
    ['strategies', { timeout: { fallback: 0 } }, /`strategies\.timeout\.fallback`/],
    ['retryAfter', 'cap', /`retryAfter` to be one of 'obey', 'clamp', 'ignore', got "cap"/],
    ['retryableStatusCodes', 429, /`retryableStatusCodes` to be an array of statuses such as \[429, 503\]/],
    ['retryableStatusCodes', ['429'], /`retryableStatusCodes`/],
    ['retryableStatusCodes', [42], /`retryableStatusCodes`/],
    [
      'backoff',
      {},
      /`backoff` to be exponential\(…\), stepped\(\[…\]\) or your own \{ delayFor\(retry\) \}, got an object/,
    ],
    ['backoff', [1, 2], /`backoff`/],
    ['classify', 'no', /`classify` to be a function, got "no"/],
    ['shouldRetry', true, /`shouldRetry`/],
    ['onRetry', {}, /`onRetry`/],
    ['onExhausted', 1, /`onExhausted`/],
    ['onEvent', [], /`onEvent`/],
    ['runtime', { now: 1 }, /`runtime\.now`/],
    ['runtime', { random: 0.5 }, /`runtime\.random`/],
    ['runtime', { sleep: null }, /`runtime\.sleep`/],
    ['attemptHeader', '', /`attemptHeader` to be a header name such as "x-retry-count", got ""/],
    ['attemptHeader', 'x retry\r\nevil: 1', /`attemptHeader`/],
    ['idempotencyKeyHeader', 5, /`idempotencyKeyHeader`/],
    ['operation', 5, /`operation` to be a string or a function/],
    ['requestId', 5, /`requestId` to be a string or a function/],
    ['controller', {}, /`controller` to be a RetryController/],
    ['controller', null, /`controller` to be a RetryController/],
    ['guardStreams', 'yes', /`guardStreams`/],
    ['guardStreams', null, /`guardStreams`/],
    ['guardStreams', { until: 'thinking' }, /`guardStreams\.until` to be one of 'content', 'text', 'end'/],
    ['streamWatch', {}, /`streamWatch` to be createStreamWatch\(\)/],
    ['guardStreams', { maxHoldMs: -1 }, /`guardStreams\.maxHoldMs`/],
    ['guardStreams', { maxHoldBytes: Number.NaN }, /`guardStreams\.maxHoldBytes`/],
    ['runtime', null, /`runtime` to be an object such as \{ now, random, sleep \}, got null/],
    ['runtime', { monotonic: 5 }, /`runtime\.monotonic`/],
    ['methods', 'GET', /`methods`/],
    ['methods', ['get'], /`methods`/],
    ['methods', [7], /`methods`/],
    ['priority', 'high', /`priority` to be one of 'interactive', 'batch', got "high"/],
    ['gateKey', 5, /`gateKey`/],
    ['gate', {}, /`gate` to be createGate\(\) or what presets\.fleet\(\) brings, got an object/],
    [
      'fallback',
      [],
      /`fallback` to be createFallback\(\{ targets \}\) or createKeyRotation\(\{ keys \}\), got an array/,
    ],
    ['unknownOperation', 'maybe', /`unknownOperation` to be one of 'safe', 'conditional', 'irreversible', got "maybe"/],
    ['rollback', 1, /`rollback` to be a function/],
    ['strategies', null, /`strategies` to be an object/],
    ['strategies', { rate_limit: null }, /`strategies\.rate_limit` to be an object/],
    ['strategies', { rate_limits: {} }, /`strategies` to be failure types, got "rate_limits"/],
    ['strategies', { rate_limit: { maxAttempts: 0 } }, /`strategies\.rate_limit\.maxAttempts`/],
    ['strategies', { rate_limit: { initialDelayMs: -1 } }, /`strategies\.rate_limit\.initialDelayMs`/],
    ['strategies', { rate_limit: { maxDelayMs: Number.NaN } }, /`strategies\.rate_limit\.maxDelayMs`/],
    ['gate', createFallback({ targets: [{ name: 'b' }] }), /`gate` to be createGate\(\)/],
    ['fallback', createGate(), /`fallback` to be createFallback/],
    ['strategies', { rate_limit: { multiplier: 0 } }, /`strategies\.rate_limit\.multiplier`/],
    ['strategies', { rate_limit: { jitter: 'equal' } }, /`strategies\.rate_limit\.jitter`/],
  ])('the option %s with the value %o', (name, value, message) => {
    const check = (): unknown => checkConfig({ [name]: value });
    expect(check).toThrow(TypeError);
    expect(check).toThrow(message);
  });

  test.each([[null], [3], ['fast']])('the options as a whole: %j', (config) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => checkConfig(config)).toThrow(/^Expected `config` to be an object such as \{ maxRetries: 3 \}, got /);
  });
});

describe('a valid option is accepted', () => {
  test.each<[string, RetryConfig]>([
    ['nothing', {}],
    ['everything undefined', { maxRetries: undefined, gate: undefined, runtime: undefined, strategies: undefined }],
    ['no limits', { maxRetries: 5, maxDelayMs: Number.POSITIVE_INFINITY, maxRetryAfterMs: Number.POSITIVE_INFINITY }],
    [
      'a gate, a chain and a controller',
      { gate: createGate(), fallback: createFallback({ targets: [{ name: 'b' }] }), controller: new RetryController() },
    ],
    ['a guard that is only part said', { guardStreams: { maxHoldMs: 5 } }],
    ['a strategy that is only part said', { strategies: { timeout: { maxAttempts: 4 } } }],
    ...Object.entries(presets).flatMap(([name, preset]): [string, RetryConfig][] =>
      typeof preset === 'function' ? [] : [[`the preset ${name}`, preset]],
    ),
  ])('when it says %s', (_title, config) => {
    expect(() => checkConfig(config)).not.toThrow();
  });
});

const refuseStep = (retry: number): number => {
  if (retry > 3) throw new RangeError(`no step ${retry}`);
  return 1_000;
};

describe('a schedule that never ends', () => {
  const none = {
    maxRetries: Number.POSITIVE_INFINITY,
    maxTotalDelayMs: Number.POSITIVE_INFINITY,
    maxElapsedMs: Number.POSITIVE_INFINITY,
  };

  test.each([
    ['no limit at all', exponential(), none, false],
    ['a count', exponential(), { ...none, maxRetries: 3 }, true],
    ['a deadline', exponential(), { ...none, maxElapsedMs: 1_000 }, true],
    ['a budget', exponential(), { ...none, maxTotalDelayMs: 1_000 }, true],
    ['a budget that waits of 0 never spend', stepped([0]), { ...none, maxTotalDelayMs: 1_000 }, false],
    ['an end of its own', stepped([1_000], { tailMs: null }), none, true],
    ['an error behind its last step', { delayFor: refuseStep }, none, true],
  ])('with %s', (_title, backoff, limits, isAccepted) => {
    const refuse = (): void => refuseEndless(backoff, limits);
    if (isAccepted) expect(refuse).not.toThrow();
    else expect(refuse).toThrow(/^Expected a schedule that ends: set `maxTotalDelayMs`/);
  });
});

test.each<[object, string, string]>([
  [{ strategies: { rate_limit: { maxAttempt: 5 } } }, 'strategies.rate_limit.maxAttempt', 'maxAttempts'],
  [{ guardStreams: { maxHoldMS: 5 } }, 'guardStreams.maxHoldMS', 'maxHoldMs'],
])('%j is refused, because a name in it is misspelt', (config, name, meant) => {
  expect(() => checkConfig(config)).toThrow(`Unknown option \`${name}\`. Did you mean \`${meant}\`?`);
});

test('a runtime may have members of its own, with any names', () => {
  expect(() => checkConfig({ runtime: Object.assign(fakeRuntime(), { sleeps: [], now2: 5 }) })).not.toThrow();
});

describe('an option of another library', () => {
  test.each([
    ['p-retry', 'retries', 'maxRetries'],
    ['p-retry', 'minTimeout', 'baseDelayMs'],
    ['p-retry', 'maxTimeout', 'maxDelayMs'],
    ['p-retry', 'factor', 'backoffMultiplier'],
    ['p-retry', 'randomize', 'jitter'],
    ['p-retry', 'maxRetryTime', 'maxElapsedMs'],
    ['p-retry', 'onFailedAttempt', 'onRetry'],
    ['fetch-retry', 'retryDelay', 'baseDelayMs'],
    ['fetch-retry', 'retryOn', 'retryableStatusCodes'],
    ['axios-retry', 'retryCondition', 'shouldRetry'],
    ['axios-retry', 'onMaxRetryTimesExceeded', 'onExhausted'],
    ['got', 'timeout', 'attemptTimeoutMs'],
    ['got', 'calculateDelay', 'backoff'],
    ['got', 'noise', 'jitter'],
    ['ky', 'retry', 'maxRetries'],
    ['ky', 'limit', 'maxRetries'],
    ['ky', 'backoffLimit', 'maxDelayMs'],
    ['ky', 'statusCodes', 'retryableStatusCodes'],
    ['ai', 'chunkTimeoutMs', 'streamWatch: createStreamWatch()'],
    ['ai', 'totalMs', 'maxElapsedMs'],
    ['bottleneck', 'maxConcurrent', 'gate: createGate({ limits })'],
    ['bottleneck', 'minTime', 'gate: createGate({ limits })'],
    ['cockatiel', 'maxAttempts', 'maxRetries'],
    ['cockatiel', 'exponent', 'backoffMultiplier'],
    ['cockatiel', 'halfOpenAfter', 'gate: createGate({ circuitBreaker })'],
    ['others', 'timeoutMs', 'attemptTimeoutMs'],
    ['others', 'hedgeMs', 'attemptTimeoutMs'],
    ['others', 'onAttempt', 'onEvent'],
  ])('(%s) such as %s is refused, with the name to use: %s', (_library, name, ours) => {
    const config: object = { [name]: 1 };
    const message = `Unknown option \`${name}\`. Use \`${ours}\`.`;
    expect(() => createRetryFetch(config)).toThrow(new TypeError(message));
    expect(() => new RetryTransport(new FetchTransport(), config)).toThrow(message);
    expect(() => withRetry(() => 1, config)).toThrow(message);
  });

  test('is never the name of an option here', () => {
    const names = Object.values(FOREIGN_NAMES).flatMap((list) => list.split(' '));
    const rows = optionsTable().match(/^\| `\w+`/gm) ?? [];
    const own = rows.map((row) => row.slice(3, -1));
    expect(own).toContain('maxRetries');
    expect(names.filter((name) => own.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    const used = Object.keys(FOREIGN_NAMES).map((use) => use.split(':')[0]);
    expect(used.filter((name) => !own.some((option) => option === name))).toEqual([]);
  });
});

describe('an unknown option', () => {
  test.each([
    ['maxRetrys', 'maxRetries'],
    ['maxRetires', 'maxRetries'],
    ['maxretries', 'maxRetries'],
    ['baseDelay', 'baseDelayMs'],
    ['onRetrys', 'onRetry'],
    ['retryStatusCodes', undefined],
    ['fallbacks', 'fallback'],
    ['gates', 'gate'],
    ['method', 'methods'],
  ])('such as %s is refused if it is similar to a known one', (name, meant) => {
    const config: object = { [name]: 1 };
    if (meant === undefined) expect(() => checkConfig(config)).not.toThrow();
    else expect(() => checkConfig(config)).toThrow(`Unknown option \`${name}\`. Did you mean \`${meant}\`?`);
  });

  test.each(['model', 'apiKey', 'agent', 'metadata', 'name', 'state', '__proto__', 'constructor', '', 'x'.repeat(999)])(
    'such as %j is ignored if it is not',
    (name) => {
      expect(() => checkConfig(Object.fromEntries([[name, 1]]))).not.toThrow();
    },
  );
});

describe('options are own properties', () => {
  const sent = async (config: RetryConfig): Promise<number> => {
    const inner = script(fakeRuntime(), 503);
    await createRetryFetch(inner, { operation: 'payment', runtime: fakeRuntime(), ...config })(URL_OF_TEST);
    return inner.calls.length;
  };
  const json: RetryConfig = JSON.parse('{"maxRetries":2,"__proto__":{"retryIrreversible":true}}');

  test('a `__proto__` in parsed JSON sets none, alone, spread or in overrides', async () => {
    expect(await sent(json)).toBe(1);
    expect(await sent({ ...json, retryIrreversible: true })).toBe(3);
    const inner = script(fakeRuntime(), 503);
    const fetch = createRetryFetch(inner, { operation: 'payment', runtime: fakeRuntime() });
    await fetch.with(json)(URL_OF_TEST);
    expect(inner.calls).toHaveLength(1);
    const own = script(fakeRuntime(), 503);
    const config = Object.assign(JSON.parse(JSON.stringify({ operation: 'payment' })), { runtime: fakeRuntime() });
    await createRetryFetch(own, Object.assign(Object.create({ retryIrreversible: true }), config))(URL_OF_TEST);
    expect(own.calls).toHaveLength(1);
  });

  test('a polluted Object.prototype sets none', async () => {
    // oxlint-disable-next-line no-extend-native
    Object.defineProperty(Object.prototype, 'retryIrreversible', {
      value: true,
      configurable: true,
      enumerable: true,
      writable: true,
    });
    try {
      expect(await sent({})).toBe(1);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'retryIrreversible');
    }
  });
});

test.each<[keyof RetryConfig, unknown]>([
  ['methods', ['GET', 'POST']],
  ['retryableStatusCodes', [100, 999]],
  ['attemptHeader', 'x-retry_count.1'],
  ['idempotencyKeyHeader', 'Idempotency-Key'],
  ['markFinalResponse', 'permanent'],
  ['gateKey', 'tenant'],
  ['strategies', { rate_limit: { maxAttempts: Number.POSITIVE_INFINITY, maxDelayMs: Number.POSITIVE_INFINITY } }],
])('%s may be %j', (name, value) => {
  expect(() => checkConfig({ [name]: value })).not.toThrow();
});

test.each<[string, unknown]>([
  ['retryableStatusCodes', [429, 99]],
  ['retryableStatusCodes', [429, 1000]],
  ['methods', ['GET', 'post']],
])('%s may not be %j: each member counts', (name, value) => {
  expect(() => checkConfig({ [name]: value })).toThrow(TypeError);
});
