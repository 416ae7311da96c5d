import { describe, expect, test, vi } from 'vitest';
import type { RetryEvent } from '../../src/events/events.ts';
import {
  createFallback,
  createRetryFetch,
  type Failure,
  FetchTransport,
  type RetryConfig,
  RetryTransport,
} from '../../src/index.ts';
import { fakeRuntime, observed, respond, respondError, script, type Step, URL_OF_TEST } from '../script.ts';

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

  test('are frozen, plain and serialisable', async () => {
    for (const event of await eventsOf({ maxRetries: 1 }, {}, 503, new TypeError('fetch failed'))) {
      expect(Object.isFrozen(event)).toBe(true);
      expect('failure' in event && Object.isFrozen(event.failure)).toBe(true);
      expect(JSON.parse(JSON.stringify(event))).toEqual(event);
      expect(structuredClone(event)).toEqual(event);
    }
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

  test('needs no request id if there is no listener for it', async () => {
    const callId = vi.fn<() => string>(() => 'id');
    await createRetryFetch({ fetch: script(fakeRuntime(), 503, 200), runtime: fakeRuntime(), callId })(URL_OF_TEST);
    expect(callId).not.toHaveBeenCalled();
  });
});
