import { describe, expect, test, vi } from 'vitest';
import { failureBody } from '../../src/failure/failure-body.ts';
import { RetryController } from '../../src/events/controller.ts';
import type { RetryEvent } from '../../src/events/events.ts';
import {
  createFallback,
  createRetryFetch,
  type Failure,
  FetchTransport,
  type RetryConfig,
  RetryTransport,
} from '../../src/index.ts';
import {
  decisionsOf,
  fakeRuntime,
  observed,
  respond,
  respondError,
  script,
  type Step,
  URL_OF_TEST,
} from '../script.ts';

const NOW = 1_800_000_000_000;

/** The events of one call. */
async function eventsOf(
  config: RetryConfig,
  init: RequestInit,
  ...steps: readonly [Step, ...Step[]]
): Promise<readonly RetryEvent[]> {
  const runtime = fakeRuntime();
  const { events, ...watched } = observed({ jitter: 'none', runtime, callId: 'call-1', ...config });
  await createRetryFetch({ fetch: script(runtime, ...steps), ...watched })(URL_OF_TEST, init).catch(() => {});
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
  test('that recovers are one `retry` for each wait and one `recovered`, with exactly these members', async () => {
    const events = await eventsOf({}, { method: 'POST', body: 'x' }, respondError(503, { message: 'busy' }), 200);
    expect(events).toEqual([
      {
        type: 'retry',
        callId: 'call-1',
        method: 'POST',
        url: URL_OF_TEST,
        at: NOW,
        retry: 1,
        maxRetries: 3,
        delayMs: 1_000,
        nextAttemptAt: NOW + 1_000,
        because: 'backoff',
        failure: overloaded,
      },
      {
        type: 'recovered',
        callId: 'call-1',
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

  test('that fails end with `failed`, with exactly these members', async () => {
    const events = await eventsOf({ maxRetries: 1 }, {}, respondError(503, { message: 'busy' }));
    expect(events.at(-1)).toEqual({
      type: 'failed',
      callId: 'call-1',
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

  test('that is aborted end with `cancelled`, with exactly these members', async () => {
    const controller = new AbortController();
    const stop = (): Response => {
      controller.abort();
      return respond(200);
    };
    const events = await eventsOf({}, { signal: controller.signal }, respondError(503, { message: 'busy' }), stop);
    expect(events.at(-1)).toEqual({
      type: 'cancelled',
      callId: 'call-1',
      method: 'GET',
      url: URL_OF_TEST,
      at: NOW + 1_000,
      attempts: 2,
      elapsedMs: 1_000,
      history: [{ attempt: 1, startedAt: NOW, durationMs: 0, failure: overloaded, delayMs: 1_000, because: 'backoff' }],
    });
  });

  test('that succeeds at the first attempt do not exist', async () => {
    expect(await eventsOf({}, {}, 200)).toEqual([]);
  });

  test.each<[string, Step, string]>([
    ['a 400', 400, 'invalid_request'],
    ['a 401', 401, 'auth_invalid'],
    ['an exhausted quota', respondError(429, { code: 'insufficient_quota' }), 'quota_exhausted'],
    ['an unknown error', new Error('a bug'), 'unknown'],
  ])('that fails at the first attempt are one `failed`, retryable or not: %s', async (_title, step, type) => {
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
    ['the caller', { stopIf: () => true }, 503, 'refused-by-caller'],
    ['the operation', { operation: 'payment' }, 503, 'irreversible-operation'],
  ])('give the reason for stopping: %s', async (_title, config, step, because) => {
    expect(await eventsOf(config, {}, step)).toMatchObject([{ type: 'failed', because }]);
  });

  test('give the time at which the server would have accepted the request again', async () => {
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

  test('do not change later', async () => {
    const kept: [RetryEvent, string][] = [];
    const runtime = fakeRuntime();
    const onEvent = (event: RetryEvent): void => void kept.push([event, JSON.stringify(event)]);
    await createRetryFetch({ fetch: script(runtime, 503), runtime, onEvent })(URL_OF_TEST);
    for (const [event, text] of kept) expect(JSON.stringify(event)).toBe(text);
  });
});

describe('the id of a request', () => {
  test('is the same in every event of a call, and different for each call', async () => {
    const [one, other] = [
      await eventsOf({ callId: undefined }, {}, 503),
      await eventsOf({ callId: undefined }, {}, 503),
    ];
    const ids = [one, other].map((events) => new Set(events.map(({ callId }) => callId)));
    expect(ids.map(({ size }) => size)).toEqual([1, 1]);
    expect([...(ids[0] ?? [])]).not.toEqual([...(ids[1] ?? [])]);
  });

  test('is created once per call, and not for a success', async () => {
    const callId = vi.fn<() => string>(() => 'mine');
    const events = await eventsOf({ callId }, {}, 503);
    expect(callId).toHaveBeenCalledOnce();
    expect(events.every((event) => event.callId === 'mine')).toBe(true);
    await eventsOf({ callId }, {}, 200);
    expect(callId).toHaveBeenCalledOnce();
  });

  test('is random if the function for it throws, and the response is not lost', async () => {
    const runtime = fakeRuntime();
    const refuse = (): never => {
      throw new Error('no id');
    };
    const { events, ...config } = observed({ runtime, callId: refuse });
    expect((await createRetryFetch({ fetch: script(runtime, 503, 200), ...config })(URL_OF_TEST)).status).toBe(200);
    expect(new Set(events.map(({ callId }) => callId)).size).toBe(1);
  });
});

describe('what a listener gets', () => {
  const SECRET = 'sk-proj-abcdef0123456789';
  /** A server that repeats what it was sent. */
  const echoing: Step = (input, given) => {
    const sent = [...new Headers(given?.headers)].map(([name, value]) => `${name} ${value}`);
    return respondError(503, { message: `busy for ${String(input)} ${sent.join(', ')}` });
  };
  const init = { method: 'POST', headers: { authorization: `Bearer ${SECRET}` }, body: '{}' };

  test('never shows a credential of the call, of its transport or of a target', async () => {
    const said: unknown[] = [];
    const hears = (...args: unknown[]): void => void said.push(...args);
    const config: RetryConfig = {
      runtime: fakeRuntime(),
      maxRetries: 1,
      onEvent: hears,
      onRetry: hears,
      onExhausted: hears,
      fallback: createFallback({
        targets: [
          { name: 'other', headers: { 'x-api-key': 'the-key-of-the-target' }, rewrite: async (request) => request },
        ],
      }),
    };
    const repeating = script(fakeRuntime(), echoing);
    await createRetryFetch({ fetch: repeating, ...config })(`${URL_OF_TEST}?key=${SECRET}`, init);
    const inner = new FetchTransport({ fetch: repeating, headers: { 'x-token': 'the-key-of-the-transport' } });
    await new RetryTransport(inner, config).post(URL_OF_TEST, {}, init.headers);
    const text = said.map((one) => (one instanceof Error ? String(one) : JSON.stringify(one))).join('\n');
    expect(text).toContain('busy for');
    for (const secret of [SECRET, 'the-key-of-the-target', 'the-key-of-the-transport'])
      expect(text).not.toContain(secret);
  });

  test.each([['onRetry'], ['onExhausted']] as const)('is the error with the body if only %s is set', async (name) => {
    const listener = vi.fn<(...args: unknown[]) => void>();
    await createRetryFetch({
      fetch: script(fakeRuntime(), () => respond(503, {}, 'busy')),
      runtime: fakeRuntime(),
      maxRetries: 1,
      [name]: listener,
    })(URL_OF_TEST);
    const error = listener.mock.calls[0]?.find((argument) => argument instanceof Error);
    expect([listener.mock.calls.length, error?.message]).toEqual([1, 'HTTP 503: busy']);
  });

  test('is every event, even if only a controller has subscribers', async () => {
    const controller = new RetryController();
    const heard: RetryEvent[] = [];
    controller.subscribe((event) => void heard.push(event));
    await createRetryFetch({ fetch: script(fakeRuntime(), 503, 200), runtime: fakeRuntime(), controller })(URL_OF_TEST);
    expect(decisionsOf(heard).map(({ type }) => type)).toEqual(['retry', 'recovered']);
  });

  test('needs no request id if there is no listener for it', async () => {
    const callId = vi.fn<() => string>(() => 'id');
    await createRetryFetch({ fetch: script(fakeRuntime(), 503, 200), runtime: fakeRuntime(), callId })(URL_OF_TEST);
    expect(callId).not.toHaveBeenCalled();
  });

  test('includes the body of the server, and none if it sent none', async () => {
    const words: (string | undefined)[] = [];
    const config: RetryConfig = {
      runtime: fakeRuntime(),
      onEvent: (event) => void (event.type === 'retry' && words.push(failureBody(event.failure))),
    };
    await createRetryFetch({ fetch: script(fakeRuntime(), () => respond(503, {}, 'busy'), 503, 200), ...config })(
      URL_OF_TEST,
    );
    expect(words).toEqual(['busy', undefined]);
  });
});
