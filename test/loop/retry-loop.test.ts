import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRetryFetch, type Fetch, type RetryConfig, RetryController } from '../../src/index.ts';
import {
  abortedIn,
  fakeRuntime,
  hangingBody,
  heldRuntime,
  observed,
  respond,
  script,
  settle,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';
import { failOnUnhandled } from '../unhandled.ts';

const reason = new Error('the user left');

failOnUnhandled();

afterEach(() => {
  vi.useRealTimers();
});

/** Hears the abort, as fetch does. */
const hearing: Fetch = (_input, init) =>
  new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
const deaf: Fetch = () => new Promise(() => {});

describe('attemptTimeoutMs', () => {
  test.each([
    ['an inner fetch that hears it', hearing],
    ['one that does not', deaf],
  ])('is retried, and given up as a TimeoutError that names it: %s', async (_title, inner) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const runtime = fakeRuntime();
    const { events, ...config } = observed({ attemptTimeoutMs: 500, maxRetries: 2, runtime });
    const onExhausted = vi.fn<(error: Error, attempts: number) => void>();
    const thrown = thrownBy(createRetryFetch({ fetch: inner, ...config, onExhausted })(URL_OF_TEST));
    await vi.advanceTimersByTimeAsync(500);
    await vi.advanceTimersByTimeAsync(500);
    await vi.advanceTimersByTimeAsync(500);
    const error = await thrown;
    expect(error).toBeInstanceOf(DOMException);
    expect(error).toMatchObject({ name: 'TimeoutError', message: expect.stringContaining('500 ms') });
    expect(onExhausted.mock.calls).toEqual([[error, 3]]);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'retry', 'failed']);
    expect(events[2]).toMatchObject({ failure: { type: 'timeout', retryable: true }, because: 'retries-exhausted' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('passes a new signal to the inner fetch for each attempt, which follows that of the caller', async () => {
    const { signal } = new AbortController();
    const inner = script(fakeRuntime(), 503, 200);
    await createRetryFetch({ fetch: inner, attemptTimeoutMs: 500, runtime: fakeRuntime() })(URL_OF_TEST, {
      signal,
      method: 'POST',
    });
    const signals = inner.calls.map(({ init }) => init?.signal);
    expect(new Set([...signals, signal]).size).toBe(3);
    expect(inner.calls.map(({ init }) => init?.method)).toEqual(['POST', 'POST']);
  });

  test('ends with the head: a slow body is not cut or touched, and no timer is left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let given: AbortSignal | null | undefined;
    const response = respond(200, {}, 'slow');
    const inner: Fetch = async (_input, init) => {
      given = init?.signal;
      return response;
    };
    expect(await createRetryFetch({ fetch: inner, attemptTimeoutMs: 500 })(URL_OF_TEST)).toBe(response);
    expect([response.bodyUsed, response.body?.locked]).toEqual([false, false]);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(given?.aborted).toBe(false);
  });

  test('cancels the late response of an abandoned attempt', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { promise, resolve } = Promise.withResolvers<Response>();
    const { body, isCancelled } = hangingBody();
    let calls = 0;
    const inner: Fetch = () => {
      calls += 1;
      return calls === 1 ? promise : Promise.resolve(respond(200));
    };
    const call = createRetryFetch({ fetch: inner, attemptTimeoutMs: 500, runtime: fakeRuntime() })(URL_OF_TEST);
    await vi.advanceTimersByTimeAsync(500);
    expect((await call).status).toBe(200);
    resolve(respond(200, {}, body));
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test('is independent of others: a TimeoutError of the inner fetch is retried, and given up as the same object', async () => {
    const error = new DOMException('theirs', 'TimeoutError');
    const { events, ...config } = observed({ maxRetries: 1, runtime: fakeRuntime() });
    const inner = script(fakeRuntime(), error);
    expect(await thrownBy(createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST))).toBe(error);
    expect(inner.calls).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { type: 'timeout' } });
  });
});

describe('the listeners, timers and calls that are left', () => {
  const CALLS = 100;
  test.each<[string, RetryConfig]>([
    ['by default', {}],
    ['with a controller', { controller: new RetryController() }],
    ['with a limit on attempts', { attemptTimeoutMs: 1_000 }],
    ['with stopIf', { stopIf: async () => false }],
  ])(`on one signal are none after ${CALLS} calls, %s`, async (_title, config) => {
    const { signal } = new AbortController();
    const runtime = fakeRuntime();
    const answers = [200, 503, new TypeError('fetch failed'), 400];
    for (let call = 0; call < CALLS; call += 1) {
      const first = answers[call % answers.length] ?? 200;
      await createRetryFetch({ fetch: script(runtime, first, 200), ...config, runtime })(URL_OF_TEST, { signal });
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('during the first attempt are one listener with a signal', async () => {
    const { signal } = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Response>();
    const call = createRetryFetch({ fetch: () => promise })(URL_OF_TEST, { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    resolve(respond(200));
    await call;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('after an abort during a wait are none', async () => {
    const controller = new AbortController();
    const runtime = heldRuntime();
    const steering = new RetryController();
    const call = createRetryFetch({ fetch: async () => respond(503), runtime, controller: steering })(URL_OF_TEST, {
      signal: controller.signal,
    });
    await runtime.untilWaiting();
    await abortedIn(call, controller, reason);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect([steering.isRetrying, steering.nextAttemptAt]).toEqual([false, null]);
    await expect(steering.whenIdle()).resolves.toBeUndefined();
  });
});

test('a response that cannot be read rejects the call instead of hanging', async () => {
  const { signal } = new AbortController();
  const broken = Object.defineProperty(respond(200), 'status', {
    get: () => {
      throw new Error('unreadable');
    },
  });
  for (const init of [{ method: 'POST' }, { method: 'POST', signal }]) {
    await expect(createRetryFetch({ fetch: async () => broken })(URL_OF_TEST, init)).rejects.toThrow('unreadable');
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

describe('rules of p-retry that do not apply', () => {
  test.each([['a string'], [undefined], [null], [42]])('a thrown %j is rethrown itself', async (thrown) => {
    const inner: Fetch = async () => {
      throw thrown;
    };
    expect(await thrownBy(createRetryFetch({ fetch: inner })(URL_OF_TEST))).toBe(thrown);
  });
});

test('fetch refuses an invalid signal with its own error', async () => {
  const init = { signal: {} };
  // @ts-expect-error -- callers in JavaScript
  const thrown = await thrownBy(createRetryFetch({ fetch })(URL_OF_TEST, init));
  // @ts-expect-error -- callers in JavaScript
  expect(thrown).toEqual(await thrownBy(fetch(URL_OF_TEST, init)));
});

test('a server that always says "at once" does not get endless retries', async () => {
  const runtime = fakeRuntime();
  const inner = script(runtime, respond(429, { 'retry-after': '0' }));
  const fetch = createRetryFetch({
    fetch: inner,
    maxRetries: Number.POSITIVE_INFINITY,
    maxTotalDelayMs: 60_000,
    runtime,
  });
  expect((await fetch(URL_OF_TEST)).status).toBe(429);
  expect(inner.calls.length).toBeLessThan(100);
});
