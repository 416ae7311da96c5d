import { describe, expect, test } from 'vitest';
import { checkConfig as checkFor, ROWS } from '../../src/options/rows.ts';
import {
  createFallback,
  createGate,
  createKeyRotation,
  createRetryFetch,
  FetchTransport,
  presets,
  type RetryConfig,
  RetryController,
  RetrySession,
  RetryTransport,
  withRetry,
} from '../../src/index.ts';
import { OpenAILLM } from '../../src/llm/index.ts';
import { optionsTable } from '../../scripts/list-options.ts';
import { fakeRuntime, script, URL_OF_TEST } from '../script.ts';

const checkConfig = (config: object): unknown => checkFor('createRetryFetch', config);

describe('an invalid option is refused by its name', () => {
  test.each<[string, readonly unknown[]]>([
    ['baseDelayMs', [-1, Number.POSITIVE_INFINITY]],
    ['maxDelayMs', [Number.NaN, -5]],
    ['backoffMultiplier', [0, Number.NaN, '2']],
    ['jitter', [true]],
    ['jitterFactor', [-0.1]],
    ['maxTotalDelayMs', [-1]],
    ['maxElapsedMs', [Number.NaN]],
    ['attemptTimeoutMs', [0, '10']],
    ['maxRetryAfterMs', [-1]],
    ['retryIrreversible', [null]],
    ['retryableStatusCodes', [['429'], [42], [429, 99], [429, 1000]]],
    ['stopIf', [true]],
    ['onRetry', [{}]],
    ['onExhausted', [1]],
    ['onEvent', [{}]],
    ['idempotencyKeyHeader', ['x retry\r\nevil: 1', 5]],
    ['gateKey', [5]],
  ])('the option %s with the values %o', (name, values) => {
    for (const value of values) {
      const check = (): unknown => checkConfig({ [name]: value });
      expect(check).toThrow(TypeError);
      expect(check).toThrow(`Expected \`${name}\` to be`);
    }
  });

  test.each<[string, unknown, RegExp]>([
    ['maxRetries', Number.NaN, /^Expected `maxRetries` to be an integer ≥ 0, got NaN\.$/],
    ['maxRetries', -1, /`maxRetries`.*got -1/],
    ['maxRetries', 1.5, /`maxRetries`.*got 1\.5/],
    ['maxRetries', '3', /`maxRetries`.*got "3"/],
    ['maxRetries', null, /`maxRetries`.*got null/],
    ['jitter', 'equal', /`jitter` to be one of 'none', 'symmetric', 'full', 'down', got "equal"/],
    ['jitterFactor', 1.1, /`jitterFactor` to be a number from 0 to 1, got 1\.1/],
    ['answers', true, /`answers` to be false, or an object such as \{ holdUntil: 'content' \}, got true/],
    ['answers', { holdJson: 'no' }, /`answers\.holdJson` to be one of 'model-requests', or a boolean, got "no"/],
    ['answers', { checkEnd: 1 }, /`answers\.checkEnd` to be one of 'model-requests', or a boolean, got 1/],
    ['answers', { idleTimeoutMs: 0 }, /`answers\.idleTimeoutMs`/],
    ['answers', { outputTimeoutMs: Number.NaN }, /`answers\.outputTimeoutMs`/],
    ['answers', { holdUntil: 'thinking' }, /`answers\.holdUntil` to be one of 'headers', 'content', 'text', 'end'/],
    ['answers', { maxHoldMs: -1 }, /`answers\.maxHoldMs`/],
    ['answers', { maxHoldBytes: Number.NaN }, /`answers\.maxHoldBytes`/],
    ['exhausted', 'false', /`exhausted` to be one of 'return', 'throw', 'mark', 'mark-permanent', got "false"/],
    [
      'strategies',
      { timeout: { retryAfter: 'clamp' } },
      /`strategies\.timeout\.retryAfter` to be one of 'obey', 'ignore'/,
    ],
    ['strategies', { timeout: { fallback: 0 } }, /`strategies\.timeout\.fallback`/],
    ['retryAfter', 'cap', /`retryAfter` to be one of 'obey', 'clamp', 'ignore', or a function, got "cap"/],
    ['retryableStatusCodes', 429, /`retryableStatusCodes` to be an array of statuses such as \[429, 503\]/],
    [
      'backoff',
      {},
      /`backoff` to be a list of waits such as \[1000, 5000\], or a function of the retry, got an object/,
    ],
    ['backoff', 'exponential', /`backoff` to be a list of waits such as/],
    ['backoff', [1, -2], /`backoff\[1\]` to be a finite number ≥ 0, got -2/],
    ['backoff', [Number.NaN], /`backoff\[0\]`/],
    ['classify', 'no', /`classify` to be a function, got "no"/],
    ['onEvent', [5], /`onEvent` to be a function, or a list of functions, got an array/],
    ['runtime', { now: 1 }, /`runtime\.now`/],
    ['runtime', { random: 0.5 }, /`runtime\.random`/],
    ['runtime', { sleep: null }, /`runtime\.sleep`/],
    ['idempotencyKeyHeader', '', /`idempotencyKeyHeader` to be a header name such as "x-retry-count", got ""/],
    ['operation', 5, /`operation` to be a label such as 'tool_call', a function, or \{ is, rollback \}/],
    ['callId', 5, /`callId` to be a string or a function/],
    ['controller', {}, /`controller` to be a RetryController/],
    ['controller', null, /`controller` to be a RetryController/],
    ['controller', Object.create(RetryController.prototype), /`controller` to be a RetryController, got an object/],
    ['runtime', null, /`runtime` to be an object such as \{ now, random, sleep \}, got null/],
    ['runtime', { monotonic: 5 }, /`runtime\.monotonic`/],
    ['retryOnly', ['GET'], /`retryOnly` to be one of 'model-requests', or a function/],
    ['priority', 'high', /`priority` to be one of 'interactive', 'batch', got "high"/],
    ['gate', {}, /`gate` to be createGate\(\{ limits \}\), got an object/],
    [
      'fallback',
      [],
      /`fallback` to be createFallback\(\{ targets \}\) or createKeyRotation\(\{ keys \}\), got an array/,
    ],
    ['operation', { is: 'file_write', rollback: 1 }, /`operation\.rollback` to be a function/],
    [
      'operation',
      { is: 'safe', rollback: () => {} },
      /`operation\.rollback` undoes conditional operations, and 'safe' is safe/,
    ],
    ['operation', { is: 'model_request', rollback: () => {} }, /'model_request' is safe\. Write is: 'conditional'/],
    ['operation', { is: 'deploy', rollback: () => {} }, /'deploy' is irreversible/],
    ['operation', { is: 'odd', rollback: () => {} }, /'odd' is not known, so irreversible/],
    ['operation', 'toolcall', /Unknown label "toolcall" in `operation`\. Did you mean "tool_call"\?/],
    ['operation', { is: 'deplpy' }, /Unknown label "deplpy" in `operation\.is`\. Did you mean "deploy"\?/],
    ['operation', { label: 'deploy' }, /Unknown option `operation\.label`\. Use `is`/],
    ['strategies', null, /`strategies` to be an object/],
    ['strategies', { rate_limit: null }, /`strategies\.rate_limit` to be an object/],
    ['strategies', { rate_limits: {} }, /`strategies` to be failure types, got "rate_limits"/],
    ['strategies', { rate_limit: { maxRetries: -1 } }, /`strategies\.rate_limit\.maxRetries`/],
    ['strategies', { rate_limit: { baseDelayMs: -1 } }, /`strategies\.rate_limit\.baseDelayMs`/],
    ['strategies', { rate_limit: { backoff: ['1'] } }, /`strategies\.rate_limit\.backoff\[0\]`/],
    [
      'strategies',
      { rate_limit: { backoff: [1], baseDelayMs: 5 } },
      /`strategies\.rate_limit\.backoff` replaces `baseDelayMs`/,
    ],
    [
      'strategies',
      { rate_limit: { backoff: () => 1 } },
      /`strategies\.rate_limit\.maxRetries` beside a function in `strategies\.rate_limit\.backoff`/,
    ],
    [
      'strategies',
      { rate_limit: { maxRetries: Infinity } },
      /waits that end: set a finite `strategies\.rate_limit\.maxRetries`/,
    ],
    ['strategies', { rate_limit: { maxDelayMs: Number.NaN } }, /`strategies\.rate_limit\.maxDelayMs`/],
    ['gate', createFallback({ targets: [{ name: 'b' }] }), /`gate` to be createGate\(\{ limits \}\)/],
    ['fallback', createGate(), /`fallback` to be createFallback/],
    ['strategies', { rate_limit: { backoffMultiplier: 0 } }, /`strategies\.rate_limit\.backoffMultiplier`/],
    ['strategies', { rate_limit: { jitter: 'equal' } }, /`strategies\.rate_limit\.jitter`/],
  ])('the option %s with the value %o', (name, value, message) => {
    const check = (): unknown => checkConfig({ [name]: value });
    expect(check).toThrow(TypeError);
    expect(check).toThrow(message);
  });

  test.each([[null], [3], ['fast']])('the options as a whole: %j', (config) => {
    expect(() => checkConfig(config as unknown as object)).toThrow(
      /^Expected `config` to be an object such as \{ maxRetries: 3 \}, \{ fetch \} or presets\.recommended, got /,
    );
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
    ['a guard that is only part said', { answers: { maxHoldMs: 5 } }],
    ['a strategy that is only part said', { strategies: { timeout: { maxRetries: 3 } } }],
    ...Object.entries(presets).flatMap(([name, preset]): [string, RetryConfig][] =>
      typeof preset === 'function' ? [] : [[`the preset ${name}`, preset]],
    ),
  ])('when it says %s', (_title, config) => {
    expect(() => checkConfig(config)).not.toThrow();
  });
});

test.each<[string, RetryConfig, RegExp]>([
  [
    'endless retries',
    { maxRetries: Infinity },
    /^Expected waits that end: set a finite `maxRetries`, or `maxElapsedMs` or/,
  ],
  ['a list without an end', { backoff: [1_000], maxRetries: Infinity }, /^Expected waits that end/],
  [
    'a budget that waits of 0 never spend',
    { backoff: [0], maxRetries: Infinity, maxTotalDelayMs: 9 },
    /^Expected waits that end/,
  ],
  [
    'a function without a count',
    { backoff: () => 10, maxElapsedMs: 5 },
    /^Expected `maxRetries` beside a function in `backoff`: a number, or Infinity if the function stops by itself/,
  ],
  [
    'a list beside waits that grow',
    { ...presets.recommended, backoff: [1] },
    /^`backoff` replaces `baseDelayMs` and .*\. After a spread, write baseDelayMs: undefined.*; `maxDelayMs` and `jitter` still shape the waits/,
  ],
])('a schedule is refused that has %s', (_title, config, message) => {
  expect(() => checkConfig(config)).toThrow(message);
});

test.each<[string, RetryConfig]>([
  ['a count', { backoff: [1_000], maxRetries: 5 }],
  ['a budget', { backoff: [1_000], maxRetries: Infinity, maxTotalDelayMs: 5_000 }],
  ['a deadline', { backoff: [0], maxRetries: Infinity, maxElapsedMs: 5_000 }],
  ['a list, which ends after its length', { backoff: [1_000] }],
  ['a function that stops by itself', { backoff: () => undefined, maxRetries: Infinity }],
  ['endless retries with a budget', { maxRetries: Infinity, maxTotalDelayMs: 60_000 }],
  ['a list over a preset', { ...presets.recommended, baseDelayMs: undefined, backoff: [1] }],
])('a schedule is accepted with %s', (_title, config) => {
  expect(() => checkConfig(config)).not.toThrow();
});

test.each<[object, string, string]>([
  [{ strategies: { rate_limit: { maxRetrys: 5 } } }, 'strategies.rate_limit.maxRetrys', 'maxRetries'],
  [{ answers: { maxHoldMS: 5 } }, 'answers.maxHoldMS', 'maxHoldMs'],
])('%j is refused, because a name in it is misspelt', (config, name, meant) => {
  expect(() => checkConfig(config)).toThrow(`Unknown option \`${name}\`. Did you mean \`${meant}\`?`);
});

test.each<[object, string]>([
  [
    { strategies: { rate_limit: { maxRetryAfterMs: 5 } } },
    '`maxRetryAfterMs` is an option of the call, not of `strategies.rate_limit`.',
  ],
  [{ answers: { attemptTimeoutMs: 5 } }, '`attemptTimeoutMs` is an option of the call, not of `answers`.'],
  [
    { strategies: { rateLimit: {} } },
    'Expected the keys of `strategies` to be failure types, got "rateLimit". Did you mean "rate_limit"?',
  ],
])('%j is refused, because it would be ignored', (config, message) => {
  expect(() => checkConfig(config)).toThrow(new TypeError(message));
});

test.each<[() => unknown, string]>([
  [() => createGate({ maxWaiting: 9, ...{ breaker: {} } }), 'circuitBreaker'],
  [() => createGate({ circuitBreaker: { covers: 'all', ...{ halfOpenAfter: 5 } } }), 'openMs'],
  [() => createGate({ retryBudget: { ratio: 1, ...{ tokens: 5 } } }), 'capacity'],
  [() => createFallback({ targets: [Object.assign({ name: 'b' }, { baseURL: 'https://b.example' })] }), 'url'],
  [() => createFallback({ targets: [Object.assign({ name: 'b' }, { apiKey: 'k' })] }), 'headers: { authorization }'],
  [() => createKeyRotation({ keys: ['k'], ...{ scheme: 'Token' } }), 'prefix'],
])('a name of another library is refused in every object: %s', (make, ours) => {
  expect(make).toThrow(`Use \`${ours}\`.`);
});

test('a runtime may have members of its own, with any names', () => {
  expect(() => checkConfig({ runtime: Object.assign(fakeRuntime(), { sleeps: [], now2: 5 }) })).not.toThrow();
});

describe('an option of another library', () => {
  test.each([
    ['maxRetries', 'retries maxTries retry limit maxAttempts stop_after_attempt'],
    ['baseDelayMs', 'minTimeout retryDelay initialDelayInMs initialRetryDelayMillis'],
    ['maxDelayMs', 'maxTimeout backoffLimit maxRetryDelayInMs'],
    ['backoffMultiplier', 'factor backoffFactor exponent'],
    ['jitter', 'randomize noise'],
    ['maxElapsedMs', 'maxRetryTime totalMs totalTimeoutMillis'],
    ['onRetry', 'onFailedAttempt'],
    ['retryableStatusCodes', 'retryOn statusCodes'],
    ["classify: (failure, { error, response }) => 'retry', 'stop' or undefined", 'retryCondition shouldRetryOnError'],
    ['attemptTimeoutMs', 'shouldResetTimeout perAttemptTimeoutMs timeout timeoutMs hedgeMs'],
    ["stopIf: (retry) => true to stop, or classify: (failure, { error }) => 'stop'", 'shouldRetry'],
    ['signal', 'abortSignal'],
    ['jitterFactor', 'jitterRatio'],
    ["retryOnly: ({ method }) => method === 'GET'", 'methods'],
    ['onExhausted', 'onMaxRetryTimesExceeded'],
    ['backoff', 'calculateDelay'],
    ['answers: { holdUntil, holdJson, checkEnd, idleTimeoutMs }', 'chunkTimeoutMs'],
    ['gate: createGate({ limits, circuitBreaker })', 'maxConcurrent minTime halfOpenAfter'],
    ['onEvent', 'onAttempt'],
    ["operation: 'irreversible', or operation: { is, rollback }", 'idempotent'],
  ])('is refused with what to write, %s: %s', (ours, names) => {
    for (const name of names.split(' ')) {
      const config: object = { [name]: 1 };
      const message = `Unknown option \`${name}\`. Use \`${ours}\`.`;
      expect(() => createRetryFetch(config)).toThrow(new TypeError(message));
      expect(() => new RetryTransport(new FetchTransport(), config)).toThrow(message);
      expect(() => withRetry(() => 1, config)).toThrow(message);
    }
  });

  test('is never the name of an option here', () => {
    const names = Object.values(ROWS).flatMap(({ others }) => others?.split(' ') ?? []);
    const rows = optionsTable().match(/^\| `\w+`/gm) ?? [];
    const own = rows.map((row) => row.slice(3, -1));
    expect(own).toContain('maxRetries');
    expect(names.filter((name) => own.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    for (const [name, { use = name }] of Object.entries(ROWS)) expect(use.split(':')[0]).toBe(name);
  });
});

describe('an unknown option', () => {
  test.each([
    ['maxRetrys', 'maxRetries'],
    ['maxRetires', 'maxRetries'],
    ['baseDelayMS', 'baseDelayMs'],
    ['RETRYONLY', 'retryOnly'],
    ['maxretries', 'maxRetries'],
    ['baseDelay', 'baseDelayMs'],
    ['onRetrys', 'onRetry'],
    ['retryStatusCodes', undefined],
    ['fallbak', 'fallback'],
    ['gates', 'gate'],
    ['max_retries', 'maxRetries'],
    ['strategy', 'strategies'],
    ['maxRetryAfterSeconds', 'maxRetryAfterMs'],
    ['events', undefined],
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
    await createRetryFetch({ fetch: inner, operation: 'payment', runtime: fakeRuntime(), ...config })(URL_OF_TEST);
    return inner.calls.length;
  };
  const json: RetryConfig = JSON.parse('{"maxRetries":2,"__proto__":{"retryIrreversible":true}}');

  test('a `__proto__` in parsed JSON sets none, alone, spread or in overrides', async () => {
    expect(await sent(json)).toBe(1);
    expect(await sent({ ...json, retryIrreversible: true })).toBe(3);
    const inner = script(fakeRuntime(), 503);
    const fetch = createRetryFetch({ fetch: inner, operation: 'payment', runtime: fakeRuntime() });
    await fetch.with(json)(URL_OF_TEST);
    expect(inner.calls).toHaveLength(1);
    const own = script(fakeRuntime(), 503);
    const config = Object.assign(JSON.parse(JSON.stringify({ operation: 'payment' })), { runtime: fakeRuntime() });
    await createRetryFetch({ fetch: own, ...Object.assign(Object.create({ retryIrreversible: true }), config) })(
      URL_OF_TEST,
    );
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
  ['retryableStatusCodes', [100, 999]],
  ['idempotencyKeyHeader', 'x-key_count.1'],
  ['idempotencyKeyHeader', 'Idempotency-Key'],
  ['exhausted', 'mark-permanent'],
  ['answers', false],
  ['onEvent', [() => {}, () => {}]],
  ['maxElapsedMs', -5],
  ['operation', { rollback: () => {} }],
  ['gateKey', 'tenant'],
  ['strategies', { rate_limit: { maxRetries: 9, maxDelayMs: Number.POSITIVE_INFINITY } }],
])('%s may be %j', (name, value) => {
  expect(() => checkConfig({ [name]: value })).not.toThrow();
});

describe('an option that a function cannot honour is refused there, with what can', () => {
  const chain = (target: object): object => ({ fallback: createFallback({ targets: [{ name: 'b', ...target }] }) });
  const of = {
    createRetryFetch: (config: object) => createRetryFetch(config),
    'createRetryFetch().with': (config: object) => createRetryFetch().with(config),
    RetryTransport: (config: object) => new RetryTransport(new FetchTransport(), config),
    withRetry: (config: object) => withRetry(() => 1, config),
    RetrySession: (config: object) => new RetrySession(config),
    '/llm': (retry: object) => new OpenAILLM({ apiKey: 'k', retry }),
  } as const;
  test.each<[keyof typeof of, object, string]>([
    ['createRetryFetch', { signal: AbortSignal.abort() }, 'Write the signal of each call: fetch(url, { signal }).'],
    [
      'createRetryFetch',
      { retryUnknownErrors: true },
      '`retryUnknownErrors` is an option of withRetry, retryStream, RetrySession and retry-transport/llm, and createRetryFetch cannot honour it.',
    ],
    ['createRetryFetch().with', { signal: null }, '`signal` is an option of withRetry, retryStream and RetrySession'],
    [
      'RetryTransport',
      { fetch: globalThis.fetch },
      '`fetch` is an option of createRetryFetch, and RetryTransport cannot honour it. Write new FetchTransport({ fetch }).',
    ],
    ['RetryTransport', chain({ fetch: globalThis.fetch }), '`fetch` of a target of `fallback` is for createRetryFetch'],
    ['RetryTransport', { signal: null }, '`signal` is an option of withRetry, retryStream and RetrySession'],
    ['/llm', chain({ fetch: globalThis.fetch }), '`fetch` of a target of `fallback` is for createRetryFetch'],
    ['/llm', { fetch: globalThis.fetch }, '`fetch` is an option of createRetryFetch'],
    [
      'withRetry',
      { retryOnly: 'model-requests' },
      '`retryOnly` is an option of createRetryFetch, RetryTransport and retry-transport/llm, and withRetry cannot honour it.',
    ],
    ['withRetry', { answers: false }, '`answers` is an option of createRetryFetch'],
    [
      'withRetry',
      { isContent: () => true },
      '`isContent` is an option of retryStream, and withRetry cannot honour it.',
    ],
    ['RetryTransport', { errorIn: () => true }, '`errorIn` is an option of withRetry, retryStream and RetrySession'],
    ['/llm', { errorIn: () => true }, '`errorIn` is an option of withRetry, retryStream and RetrySession'],
    ['withRetry', { exhausted: 'throw' }, '`exhausted` is an option of createRetryFetch'],
    ['RetrySession', { idempotencyKeyHeader: 'x' }, '`idempotencyKeyHeader` is an option of createRetryFetch'],
    ['RetrySession', { fetch: globalThis.fetch }, '`fetch` is an option of createRetryFetch'],
    [
      'withRetry',
      { operation: () => 'deploy' },
      '`operation` as a function gets the request of a fetch, and withRetry has none.',
    ],
    [
      'withRetry',
      chain({ model: 'haiku' }),
      '`model` of `fallback` changes a request of createRetryFetch or RetryTransport, and withRetry has none.',
    ],
    ['withRetry', chain({ url: 'https://b.example/' }), '`url` of `fallback` changes a request'],
    ['withRetry', chain({ headers: {} }), '`headers` of `fallback` changes a request'],
    ['RetrySession', chain({ rewrite: (request: unknown) => request }), '`rewrite` of `fallback` changes a request'],
    ['withRetry', { fallback: createKeyRotation({ keys: ['k'] }) }, '`keys` of `fallback` changes a request'],
  ])('an operation has no request to change: %s, %o', (face, config, message) => {
    expect(() => of[face](config)).toThrow(TypeError);
    expect(() => of[face](config)).toThrow(message);
  });

  test('and everything that it can honour is accepted', () => {
    expect(() =>
      withRetry(() => 1, { ...presets.fleet, gate: createGate(), gateKey: 'a', ...chain({}) }),
    ).not.toThrow();
    expect(() => of['/llm']({ retryUnknownErrors: true, exhausted: 'mark' })).not.toThrow();
  });
});

test.each([
  [[globalThis.fetch], 'an object such as { maxRetries: 3 }, { fetch } or presets.recommended, got a function'],
  [[{}, {}], 'Expected one argument, such as createRetryFetch({ fetch })'],
  [['patient'], 'got "patient"'],
  [[[1_000]], '`config` to be an object such as { maxRetries: 3 }, { fetch } or presets.recommended, got an array'],
  [[{ strategies: [] }], '`strategies` to be an object such as { maxRetries: 5 }, got an array'],
  [[{ retryOnly: ['GET'] }], '`retryOnly`'],
])('createRetryFetch(%o) is refused with what to write', (given, message) => {
  expect(() => Reflect.apply(createRetryFetch, undefined, given)).toThrow(TypeError);
  expect(() => Reflect.apply(createRetryFetch, undefined, given)).toThrow(message);
});
