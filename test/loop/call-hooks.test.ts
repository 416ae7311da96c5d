import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  createRetryFetch,
  type Failure,
  HttpStatusError,
  outcomeOf,
  type RetryConfig,
  type PlannedRetry,
  RetryController,
} from '../../src/index.ts';
import {
  decisionsOf,
  fakeRuntime,
  hangingBody,
  observed,
  respond,
  respondError,
  script,
  settle,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';
import { fetched, reset, scripted } from '../scripted-call.ts';
import { failOnUnhandled } from '../unhandled.ts';

failOnUnhandled();

afterEach(() => {
  vi.useRealTimers();
});

describe('classify', () => {
  const cacheMiss: Failure = {
    type: 'cache_error',
    retryable: true,
    category: 'retryable',
    message: 'cold cache',
    phase: 'response',
  };

  test('can make a 503 permanent', async () => {
    const { call, inner } = scripted({ classify: (failure) => ({ ...failure, retryable: false }) }, 503);
    await call();
    expect(inner.calls).toHaveLength(1);
  });

  test('gets the body as far as it was read', async () => {
    const bodies: unknown[] = [];
    const classify: NonNullable<RetryConfig['classify']> = (_failure, outcome) => {
      bodies.push('body' in outcome ? outcome.body : outcome.error);
      return undefined;
    };
    await scripted({ classify, maxRetries: 0 }, () => fetched(503, 'busy')).call();
    expect(bodies).toEqual(['busy']);
  });

  test('keeps the status in the errors that callbacks and callers get', async () => {
    const onRetry = vi.fn<(attempt: number, error: Error, delayMs: number) => void>();
    const { call } = scripted(
      { classify: () => cacheMiss, onRetry, exhausted: 'throw', maxRetries: 1 },
      respond(418, {}, 'tea'),
    );
    await expect(call()).rejects.toThrow('HTTP 418 after 2 attempts, last: cache_error (cold cache).');
    expect(onRetry.mock.calls[0]?.[1].message).toBe('HTTP 418: tea');
  });

  test('sets the failure in events, and its strategy sets the wait', async () => {
    const { events, ...config } = observed();
    const { call, slept } = scripted(
      { ...config, classify: () => cacheMiss, strategies: { cache_error: { baseDelayMs: 0 } } },
      400,
      200,
    );
    await call();
    expect(slept).toEqual([0]);
    expect(events[0]).toMatchObject({ type: 'retry', failure: { type: 'cache_error' } });
  });

  test('that throws rejects the call with the same error, its history, and releases the response', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const error = new Error('in classify');
    const { body, isCancelled } = hangingBody();
    const { events, ...config } = observed();
    const { call, inner } = scripted(
      {
        ...config,
        classify: () => {
          throw error;
        },
      },
      () => fetched(503, body),
    );
    const thrown = thrownBy(call());
    await vi.advanceTimersByTimeAsync(250);
    expect(await thrown).toBe(error);
    expect([inner.calls.length, outcomeOf(error)?.history.length]).toEqual([1, 1]);
    expect(events).toMatchObject([{ type: 'failed', attempts: 1, history: [{ attempt: 1 }] }]);
    await settle();
    expect(isCancelled()).toBe(true);
  });
});

describe('stopIf', () => {
  test.each<[string, boolean | Promise<boolean>, number]>([
    ['true stops', true, 1],
    ['false retries', false, 2],
    ['a promise of true stops', Promise.resolve(true), 1],
    ['a promise of false retries', Promise.resolve(false), 2],
  ])('decides by its answer: %s', async (_title, answer, calls) => {
    const { events, ...config } = observed();
    const { call, inner } = scripted({ ...config, stopIf: () => answer }, 503, 200);
    await call();
    expect(inner.calls).toHaveLength(calls);
    expect(events.at(-1)).toMatchObject(
      calls === 1 ? { type: 'failed', because: 'refused-by-caller' } : { type: 'recovered' },
    );
  });

  test('may only refuse: it is not called for a permanent failure', async () => {
    const stopIf = vi.fn<(context: PlannedRetry) => boolean>(() => false);
    for (const step of [400, respondError(429, { code: 'insufficient_quota' }), new Error('a bug')]) {
      const { call, inner } = scripted({ stopIf }, step);
      await call().catch(() => {});
      expect(inner.calls).toHaveLength(1);
    }
    const { call, inner } = scripted({ stopIf, maxRetries: 0 }, 503);
    await call();
    expect(inner.calls).toHaveLength(1);
    expect(stopIf).not.toHaveBeenCalled();
  });

  test('gets the planned retry', async () => {
    const contexts: PlannedRetry[] = [];
    const { call } = scripted({ callId: 'id', stopIf: (context) => contexts.push(context) === 0 }, 503, reset(), 200);
    await call({ method: 'POST' });
    expect(contexts).toMatchObject([
      {
        callId: 'id',
        method: 'POST',
        url: URL_OF_TEST,
        attempt: 1,
        delayMs: 1_000,
        because: 'backoff',
        failure: { status: 503 },
        history: [],
      },
      { attempt: 2, delayMs: 2_000, failure: { code: 'ECONNRESET' }, history: [{ attempt: 1 }] },
    ]);
  });

  test.each<[string, () => boolean | Promise<boolean>]>([
    [
      'throws',
      () => {
        throw new Error('in stopIf');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('in stopIf'))],
  ])('that %s rejects the call with that error, and emits a last event', async (_title, stopIf) => {
    const { events, ...config } = observed();
    const { call, inner } = scripted({ ...config, stopIf }, 503);
    await expect(call()).rejects.toThrow('in stopIf');
    expect(inner.calls).toHaveLength(1);
    expect(events).toMatchObject([
      { type: 'failed', attempts: 1, failure: { status: 503 }, history: [{ attempt: 1, delayMs: null }] },
    ]);
  });
});

describe('callbacks', () => {
  test('onRetry gets exactly the failed attempt, its error and the wait', async () => {
    const onRetry = vi.fn<(...args: unknown[]) => void>();
    const error = reset();
    await scripted({ onRetry }, respondError(429, { message: 'slow down' }), error, 200).call();
    expect(onRetry.mock.calls).toEqual([
      [1, expect.any(HttpStatusError), 1_000],
      [2, error, 2_000],
    ]);
    const message = 'HTTP 429: {"error":{"message":"slow down"}}';
    expect(onRetry.mock.calls[0]?.[1]).toMatchObject({ message, status: 429, failure: { type: 'rate_limit' } });
    expect(onRetry.mock.calls[1]?.[1]).toBe(error);
  });

  test.each([
    ['x', 2_048],
    ['é', 1_024],
    ['語', 682],
    ['😀', 512],
  ])(
    'the error of a status shows at most 2 KiB of the body, in bytes, and cuts no character: %s',
    async (character, shown) => {
      const onExhausted = vi.fn<(error: Error, attempts: number) => void>();
      await scripted({ onExhausted, maxRetries: 0 }, respond(503, {}, character.repeat(3_000))).call();
      expect(onExhausted.mock.calls[0]?.[0].message).toBe(`HTTP 503: ${character.repeat(shown)}`);
    },
  );

  test.each<[string, Step]>([
    ['a success', 200],
    ['a 400', 400],
    ['an exhausted quota', respondError(429, { code: 'insufficient_quota' })],
    ['an unknown error', new Error('a bug')],
  ])('onExhausted is not called for %s', async (_title, step) => {
    const onExhausted = vi.fn<() => void>();
    await scripted({ onExhausted }, step)
      .call()
      .catch(() => {});
    expect(onExhausted).not.toHaveBeenCalled();
  });

  test.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('listener');
      },
    ],
    ['reject', async () => Promise.reject(new Error('listener'))],
    [
      'give a thenable',
      // oxlint-disable-next-line unicorn/no-thenable
      () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('listener')) }),
    ],
  ])('that %s change nothing', async (_title, listener) => {
    const controller = new RetryController();
    controller.subscribe(listener);
    const config: RetryConfig = { onRetry: listener, onExhausted: listener, onEvent: listener, controller };
    const failed = scripted(config, 503);
    expect((await failed.call()).status).toBe(503);
    expect(failed.inner.calls).toHaveLength(4);
    const recovered = scripted(config, 503, 200);
    expect((await recovered.call()).status).toBe(200);
    await settle();
  });

  test('come in order: stopIf, onRetry, onEvent, then the wait', async () => {
    const order: string[] = [];
    const runtime = { ...fakeRuntime(), sleep: async () => void order.push('sleep') };
    const config: RetryConfig = {
      runtime,
      maxRetries: 1,
      stopIf: async () => order.push('stopIf') === 0,
      onRetry: () => order.push('onRetry'),
      onEvent: (event) => order.push(...decisionsOf([event]).map(({ type }) => type)),
      onExhausted: () => order.push('onExhausted'),
    };
    await createRetryFetch({ fetch: script(fakeRuntime(), 503), ...config })(URL_OF_TEST);
    expect(order).toEqual(['stopIf', 'onRetry', 'retry', 'sleep', 'onExhausted', 'failed']);
  });
});
