import { describe, expect, test, vi } from 'vitest';
import { createRetryFetch, type Failure, type RetryConfig, type RetryEvent, RetryTransport } from '../src/index.ts';
import {
  fakeRuntime,
  observed,
  respond,
  respondError,
  script,
  scriptTransport,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from './script.ts';

const NOW = 1_800_000_000_000;

/** The events of one call. */
async function eventsOf(
  config: RetryConfig,
  init: RequestInit,
  ...steps: readonly [Step, ...Step[]]
): Promise<readonly RetryEvent[]> {
  const runtime = fakeRuntime();
  const { events, ...watched } = observed({ jitter: 'none', runtime, requestId: 'call-1', ...config });
  await createRetryFetch(script(runtime, ...steps), watched)(URL_OF_TEST, init).catch(() => {});
  return events;
}

const overloaded: Failure = {
  type: 'overloaded',
  retryable: true,
  category: 'retryable',
  status: 503,
  message: 'busy',
  phase: 'response',
};

describe('the events of a call', () => {
  test('that recovers are one retry for each wait and one recovered, in these very shapes', async () => {
    const events = await eventsOf({}, { method: 'POST', body: 'x' }, respondError(503, { message: 'busy' }), 200);
    expect(events).toEqual([
      {
        type: 'retry',
        requestId: 'call-1',
        method: 'POST',
        url: URL_OF_TEST,
        at: NOW,
        attempt: 1,
        maxRetries: 3,
        delayMs: 1_000,
        nextAttemptAt: NOW + 1_000,
        because: 'backoff',
        failure: overloaded,
      },
      {
        type: 'recovered',
        requestId: 'call-1',
        method: 'POST',
        url: URL_OF_TEST,
        at: NOW + 1_000,
        attempts: 2,
        elapsedMs: 1_000,
        history: [
          { attempt: 1, startedAt: NOW, durationMs: 0, failure: overloaded, delayMs: 1_000, because: 'backoff' },
          { attempt: 2, startedAt: NOW + 1_000, durationMs: 0, failure: null, delayMs: null, because: null },
        ],
      },
    ]);
  });

  test('that fails end with failed, in this very shape', async () => {
    const events = await eventsOf({ maxRetries: 1 }, {}, respondError(503, { message: 'busy' }));
    expect(events.at(-1)).toEqual({
      type: 'failed',
      requestId: 'call-1',
      method: 'GET',
      url: URL_OF_TEST,
      at: NOW + 1_000,
      attempts: 2,
      elapsedMs: 1_000,
      because: 'retries-exhausted',
      failure: overloaded,
      history: [
        { attempt: 1, startedAt: NOW, durationMs: 0, failure: overloaded, delayMs: 1_000, because: 'backoff' },
        { attempt: 2, startedAt: NOW + 1_000, durationMs: 0, failure: overloaded, delayMs: null, because: null },
      ],
    });
  });

  test('that is aborted end with cancelled, in this very shape', async () => {
    const controller = new AbortController();
    const stop = (): Response => {
      controller.abort();
      return respond(200);
    };
    const events = await eventsOf({}, { signal: controller.signal }, respondError(503, { message: 'busy' }), stop);
    expect(events.at(-1)).toEqual({
      type: 'cancelled',
      requestId: 'call-1',
      method: 'GET',
      url: URL_OF_TEST,
      at: NOW + 1_000,
      attempts: 2,
      elapsedMs: 1_000,
      history: [{ attempt: 1, startedAt: NOW, durationMs: 0, failure: overloaded, delayMs: 1_000, because: 'backoff' }],
    });
  });

  test('that succeeds at once are none', async () => {
    expect(await eventsOf({}, {}, 200)).toEqual([]);
  });

  test.each<[string, Step, string]>([
    ['a 400', 400, 'invalid_request'],
    ['a 401', 401, 'auth_invalid'],
    ['an exhausted quota', respondError(429, { code: 'insufficient_quota' }), 'quota_exhausted'],
    ['an unknown error', new Error('a bug'), 'unknown'],
  ])('that fails at once are one failed, retried or not: %s', async (_title, step, type) => {
    expect(await eventsOf({}, {}, step)).toMatchObject([
      { type: 'failed', attempts: 1, because: 'not-retryable', failure: { type, retryable: false } },
    ]);
  });

  test.each<[string, RetryConfig, Step, string]>([
    ['maxRetries 0', { maxRetries: 0 }, 503, 'retries-exhausted'],
    ['a hint too long', {}, respond(429, { 'retry-after': '3600' }), 'retry-after-too-long'],
    ['a budget', { maxTotalDelayMs: 10 }, 503, 'sleep-budget-exhausted'],
    ['a deadline', { maxElapsedMs: 10 }, 503, 'deadline'],
    ['the server', {}, respond(503, { 'x-should-retry': 'false' }), 'server-said-no'],
    ['the caller', { shouldRetry: () => false }, 503, 'refused-by-caller'],
    ['the operation', { operation: 'payment' }, 503, 'irreversible-operation'],
  ])('say what stopped them: %s', async (_title, config, step, because) => {
    expect(await eventsOf(config, {}, step)).toMatchObject([{ type: 'failed', because }]);
  });

  test('say when the server would have taken the request again', async () => {
    const [event] = await eventsOf({}, {}, respond(429, { 'retry-after': '3600' }));
    expect(event).toMatchObject({
      possibleAt: NOW + 3_600_000,
      failure: { retryAfterMs: 3_600_000, hintSource: 'retry-after' },
    });
  });

  test('name the hint as the reason of a wait', async () => {
    const [event] = await eventsOf({}, {}, respond(429, { 'retry-after': '7' }), 200);
    expect(event).toMatchObject({ type: 'retry', delayMs: 7_000, because: 'hint', nextAttemptAt: NOW + 7_000 });
  });

  test('are frozen, plain and serialisable', async () => {
    for (const event of await eventsOf({ maxRetries: 1 }, {}, 503, new TypeError('fetch failed'))) {
      expect(Object.isFrozen(event)).toBe(true);
      expect('failure' in event && Object.isFrozen(event.failure)).toBe(true);
      expect(JSON.parse(JSON.stringify(event))).toEqual(event);
      expect(structuredClone(event)).toEqual(event);
    }
  });

  test('are not changed by what happens later', async () => {
    const kept: [RetryEvent, string][] = [];
    const runtime = fakeRuntime();
    const onEvent = (event: RetryEvent): void => void kept.push([event, JSON.stringify(event)]);
    await createRetryFetch(script(runtime, 503), { runtime, onEvent })(URL_OF_TEST);
    for (const [event, text] of kept) expect(JSON.stringify(event)).toBe(text);
  });
});

describe('the id of a request', () => {
  test('is the same in every event of a call, and another for each call', async () => {
    const [one, other] = [
      await eventsOf({ requestId: undefined }, {}, 503),
      await eventsOf({ requestId: undefined }, {}, 503),
    ];
    const ids = [one, other].map((events) => new Set(events.map(({ requestId }) => requestId)));
    expect(ids.map(({ size }) => size)).toEqual([1, 1]);
    expect([...(ids[0] ?? [])]).not.toEqual([...(ids[1] ?? [])]);
  });

  test('is asked for once per call, and not for a success', async () => {
    const requestId = vi.fn<() => string>(() => 'mine');
    const events = await eventsOf({ requestId }, {}, 503);
    expect(requestId).toHaveBeenCalledOnce();
    expect(events.every((event) => event.requestId === 'mine')).toBe(true);
    await eventsOf({ requestId }, {}, 200);
    expect(requestId).toHaveBeenCalledOnce();
  });
});

/** Everything that we made of a call that failed in every way. */
async function madeOf(call: (config: RetryConfig) => Promise<unknown>, throwOnExhausted = false): Promise<string> {
  const made: unknown[] = [];
  const note = (...args: readonly unknown[]): void => {
    for (const arg of args)
      made.push(
        arg instanceof Error && arg.name === 'HttpStatusError' ? [arg.message, arg.stack, Object.entries(arg)] : arg,
      );
  };
  const config: RetryConfig = {
    runtime: fakeRuntime(),
    throwOnExhausted,
    onEvent: note,
    onRetry: (_attempt, error) => note(error),
    onExhausted: (error) => note(error),
    shouldRetry: (context) => {
      note(context);
      return true;
    },
  };
  const end = await call(config).catch((error: unknown) => error);
  if (throwOnExhausted && end instanceof Error) note([end.message, Reflect.get(end, 'history')]);
  if (made.length < 4) throw new Error('Expected the call to fail more often.');
  return JSON.stringify(made);
}

describe('secrets', () => {
  const KEY = 'kd93-very-secret-value-7716';
  const QUERY = 'q8w7e6r5-query-secret';
  const PASSWORD = 'p4ssw0rd-in-url';
  const url = `https://user-name:${PASSWORD}@api.example.com/v1/messages?key=${QUERY}&x=${encodeURIComponent(`${QUERY}/2`)}`;
  const headers = { 'x-api-key': KEY, authorization: `Bearer ${KEY}-bearer`, 'X-Custom': `${KEY}-custom` };
  /** Echoes everything it was given, as some servers do. */
  const echo = JSON.stringify({
    error: {
      type: 'rate_limit_error',
      message: `Slow down ${KEY}, ${KEY}-bearer, ${KEY}-custom, ${QUERY}, ${PASSWORD}`,
      code: KEY,
    },
  });

  const leaksIn = (text: string): readonly string[] =>
    [KEY, QUERY, PASSWORD, 'user-name'].filter((secret) => text.includes(secret));

  test.each([false, true])(
    'are in nothing that we make, also where the server echoes them (throwOnExhausted %s)',
    async (throwOnExhausted) => {
      const inner = script(fakeRuntime(), respond(429, { 'content-type': 'application/json' }, echo));
      expect(
        leaksIn(
          await madeOf((config) => createRetryFetch(inner, config)(url, { method: 'POST', headers }), throwOnExhausted),
        ),
      ).toEqual([]);
    },
  );

  test.each<[string, HeadersInit]>([
    ['a Headers object', new Headers(headers)],
    ['pairs', Object.entries(headers)],
  ])('are found in %s', async (_title, given) => {
    const inner = script(fakeRuntime(), respond(429, {}, echo));
    expect(leaksIn(await madeOf((config) => createRetryFetch(inner, config)(url, { headers: given })))).toEqual([]);
  });

  test('are found in a request', async () => {
    const inner = script(fakeRuntime(), respond(429, {}, echo.replace(PASSWORD, '')));
    const request = new Request(url.replace(`user-name:${PASSWORD}@`, ''), { method: 'POST', body: 'x', headers });
    expect(leaksIn(await madeOf((config) => createRetryFetch(inner, config)(request)))).toEqual([]);
  });

  test('are found in the arguments of a transport', async () => {
    const inner = scriptTransport(() => respond(429, {}, echo));
    expect(leaksIn(await madeOf((config) => new RetryTransport(inner, config).post(url, {}, headers)))).toEqual([]);
    expect(leaksIn(await madeOf((config) => new RetryTransport(inner, config).get(url, headers)))).toEqual([]);
  });

  test('are found although the caller took them out of the headers meanwhile', async () => {
    const mutable: Record<string, string> = { ...headers };
    const inner = script(fakeRuntime(), () => {
      for (const name of Object.keys(mutable)) delete mutable[name];
      return respond(429, {}, echo);
    });
    expect(leaksIn(await madeOf((config) => createRetryFetch(inner, config)(url, { headers: mutable })))).toEqual([]);
  });

  test('leave no half of theirs at the edge where the body was cut', async () => {
    const long = 'z9'.repeat(400);
    for (const offset of [0, 100, 399]) {
      const body = 'x'.repeat(offset) + long.repeat(30);
      const inner = script(fakeRuntime(), respond(429, {}, body));
      const messages: string[] = [];
      const onRetry = (_attempt: number, { message }: Error): void => void messages.push(message);
      await createRetryFetch(inner, { onRetry, runtime: fakeRuntime() })(URL_OF_TEST, {
        headers: { 'x-api-key': long },
      });
      expect(messages).toHaveLength(3);
      expect(messages.filter((message) => message.includes('z9z9'))).toEqual([]);
    }
  });

  test('of known shapes are scrubbed even where nobody gave them', async () => {
    const foreign = 'sk-ant-REDACTED';
    const inner = script(fakeRuntime(), respondError(429, { message: `The key ${foreign} is over its limit` }));
    expect(await madeOf((config) => createRetryFetch(inner, config)(URL_OF_TEST))).not.toContain('abcdefghijklmnop');
  });

  test('are left in an error of the inner transport, which passes as it is', async () => {
    const error = new TypeError(`fetch failed for ${KEY}`);
    const onRetry = vi.fn<(attempt: number, error: Error, delayMs: number) => void>();
    const { events, ...config } = observed({ runtime: fakeRuntime(), onRetry, maxRetries: 1 });
    expect(await thrownBy(createRetryFetch(script(fakeRuntime(), error), config)(URL_OF_TEST, { headers }))).toBe(
      error,
    );
    expect(onRetry.mock.calls[0]?.[1]).toBe(error);
    expect(JSON.stringify(events)).not.toContain(KEY);
  });

  test('hold no request, response or headers', async () => {
    const seen: object[] = [];
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || seen.includes(value)) return;
      seen.push(value);
      for (const inner of Object.values(value)) collect(inner);
    };
    const config: RetryConfig = {
      onEvent: collect,
      onRetry: (_attempt, error) => collect(error),
      onExhausted: collect,
      runtime: fakeRuntime(),
    };
    await createRetryFetch(script(fakeRuntime(), 503), config)(url, { headers });
    expect(seen.length).toBeGreaterThan(5);
    for (const Kind of [Request, Response, Headers, AbortSignal])
      expect(seen.filter((value) => value instanceof Kind)).toEqual([]);
  });
});
