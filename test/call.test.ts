import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  createRetryFetch,
  type Failure,
  HttpStatusError,
  type RetryConfig,
  type RetryContext,
  RetryController,
  RetryExhaustedError,
  retryHistory,
} from '../src/index.ts';
import {
  fakeRuntime,
  hangingBody,
  heldRuntime,
  observed,
  respond,
  respondError,
  script,
  type ScriptedFetch,
  settle,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from './script.ts';

const reset = (): Error =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });

interface Scripted {
  readonly inner: ScriptedFetch;
  readonly call: (init?: RequestInit) => Promise<Response>;
  readonly slept: readonly number[];
}

function scripted(config: RetryConfig, ...steps: readonly [Step, ...Step[]]): Scripted {
  const runtime = fakeRuntime();
  const inner = script(runtime, ...steps);
  const retrying = createRetryFetch(inner, { jitter: 'none', runtime, ...config });
  return { inner, call: (init) => retrying(URL_OF_TEST, init), slept: runtime.slept };
}

/** As fetch gives a response: with a url, and headers that cannot be changed. */
function fetched(status: number, body: BodyInit | null, headers: Record<string, string> = {}): Response {
  const response = respond(status, headers, body);
  Object.defineProperty(response, 'url', { value: URL_OF_TEST });
  Object.defineProperty(response.headers, 'set', { value: () => fail() });
  return response;
}

function fail(): never {
  throw new TypeError('immutable');
}

interface Steered {
  readonly controller: RetryController;
  readonly runtime: ReturnType<typeof heldRuntime>;
  readonly inner: ScriptedFetch;
  readonly call: () => Promise<Response>;
}

function steered(config: RetryConfig, ...steps: readonly [Step, ...Step[]]): Steered {
  const controller = new RetryController();
  const runtime = heldRuntime();
  const inner = script(runtime, ...steps);
  const retrying = createRetryFetch(inner, { jitter: 'none', runtime, controller, ...config });
  return { controller, runtime, inner, call: () => retrying(URL_OF_TEST) };
}

/** Only reading the list of models is harmless here. */
const nameOf = ({ method, url }: { readonly method: string; readonly url: string }): string =>
  method === 'GET' && url === URL_OF_TEST ? 'model_list' : 'deploy';

afterEach(() => {
  vi.useRealTimers();
});

describe('given up on a response', () => {
  test('that very object comes back, unread, with its url, headers and status', async () => {
    const last = fetched(503, 'busy', { 'x-request-id': 'abc' });
    const response = await scripted({ maxRetries: 1 }, 503, () => last).call();
    expect(response).toBe(last);
    expect([response.status, response.url, response.headers.get('x-request-id'), response.bodyUsed]).toEqual([
      503,
      URL_OF_TEST,
      'abc',
      false,
    ]);
    await expect(response.text()).resolves.toBe('busy');
  });

  test.each([400, 401, 403, 404, 409, 413, 422, 425, 501, 505])('a %i comes back at once', async (status) => {
    const { call, inner } = scripted({}, status);
    expect((await call()).status).toBe(status);
    expect(inner.calls).toHaveLength(1);
  });

  test('a large body comes back whole', async () => {
    const body = 'x'.repeat(300_000);
    const response = await scripted({ maxRetries: 0 }, () => fetched(503, body)).call();
    expect((await response.text()).length).toBe(300_000);
  });

  test('a stream that goes on comes back as the stream that it is', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { body, isCancelled } = hangingBody(new TextEncoder().encode('first'));
    const call = scripted({ maxRetries: 0 }, () => fetched(503, body)).call();
    await vi.advanceTimersByTimeAsync(250);
    const response = await call;
    expect(isCancelled()).toBe(false);
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
  });

  test('its history has every attempt', async () => {
    const response = await scripted({ maxRetries: 2 }, 503, reset(), 429).call();
    expect(retryHistory(response)).toMatchObject([
      { attempt: 1, delayMs: 1_000, because: 'backoff', failure: { status: 503, type: 'overloaded' } },
      { attempt: 2, delayMs: 2_000, because: 'backoff', failure: { type: 'connection_error', code: 'ECONNRESET' } },
      { attempt: 3, delayMs: null, because: null, failure: { status: 429, type: 'rate_limit' } },
    ]);
  });
});

describe('given up on a throw', () => {
  test('the same object is rethrown, with its history', async () => {
    const errors = [reset(), reset(), reset()] as const;
    const thrown = await thrownBy(scripted({ maxRetries: 2 }, ...errors).call());
    expect(thrown).toBe(errors[2]);
    expect(retryHistory(errors[2])).toHaveLength(3);
    expect(retryHistory(errors[0])).toEqual([]);
  });

  test('an unknown error is rethrown at once', async () => {
    const error = new RangeError('a bug');
    const { call, inner } = scripted({}, error);
    expect(await thrownBy(call())).toBe(error);
    expect(inner.calls).toHaveLength(1);
    expect(retryHistory(error)).toMatchObject([{ failure: { type: 'unknown' } }]);
  });
});

describe('a success', () => {
  test('at the first attempt has no history', async () => {
    expect(retryHistory(await scripted({}, 200).call())).toEqual([]);
  });

  test('after retries has the whole history, itself included', async () => {
    const response = await scripted({}, 503, 200).call();
    const history = retryHistory(response);
    expect(history).toMatchObject([
      { attempt: 1, failure: { status: 503 }, delayMs: 1_000 },
      { attempt: 2, failure: null, delayMs: null, because: null },
    ]);
    expect(Object.isFrozen(history)).toBe(true);
    expect(history.every((record) => Object.isFrozen(record))).toBe(true);
  });
});

describe('times in the history', () => {
  test('are those of the runtime', async () => {
    const runtime = fakeRuntime();
    const start = runtime.time;
    const slow = (status: number) => () => {
      runtime.time += 30;
      return respond(status);
    };
    const response = await createRetryFetch(script(runtime, slow(503), slow(200)), { runtime, jitter: 'none' })(
      URL_OF_TEST,
    );
    expect(retryHistory(response)).toMatchObject([
      { startedAt: start, durationMs: 30 },
      // The wait counts from the response head; a clock of whole milliseconds may have lost one of them.
      { startedAt: start + 30 + 1_000, durationMs: 30 },
    ]);
  });

  test('are never negative when the clock is set back', async () => {
    const runtime = fakeRuntime();
    const { events, ...config } = observed({ runtime });
    const back = (): Response => {
      runtime.time -= 60_000;
      return respond(503);
    };
    const response = await createRetryFetch(script(runtime, back, back, back, back), config)(URL_OF_TEST);
    for (const { durationMs } of retryHistory(response)) expect(durationMs).toBe(0);
    expect(events.at(-1)).toMatchObject({ type: 'failed', elapsedMs: 0 });
  });
});

describe('a wait counts from the response head', () => {
  test('so that the look at a slow body is part of it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const runtime = fakeRuntime();
    const { body } = hangingBody();
    const { events, ...config } = observed({ runtime, jitter: 'none' });
    const answers = [respond(503, {}, body), respond(200)];
    const call = createRetryFetch(
      script(runtime, ...([() => answers.shift() ?? fail()] as const)),
      config,
    )(URL_OF_TEST);
    await settle();
    runtime.time += 250;
    await vi.advanceTimersByTimeAsync(250);
    await call;
    // One millisecond of those that seem to have passed may not have.
    expect(runtime.slept).toEqual([751]);
    expect(events[0]).toMatchObject({ delayMs: 1_000 });
  });

  test('but a hint is never beaten by a clock that jumps', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, respond(429, { 'retry-after-ms': '20' }), 200);
    await createRetryFetch(inner, { runtime, jitter: 'none' })(URL_OF_TEST);
    const [first, second] = inner.calls;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(20);
  });
});

describe('a discarded answer', () => {
  test('is read to its end where it is small', async () => {
    let ended = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (ended) return;
        ended = true;
        controller.enqueue(new Uint8Array(65_536));
        controller.close();
      },
    });
    await scripted({}, () => fetched(503, body), 200).call();
    expect(ended).toBe(true);
  });

  test.each([
    ['without a controller', {}],
    ['with one', { controller: new RetryController() }],
  ])('is cancelled where it is large or slow, %s', async (_title, config) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { body, isCancelled } = hangingBody();
    const answers = [fetched(503, body), respond(200)];
    const call = scripted(config, () => answers.shift() ?? fail()).call();
    await vi.advanceTimersByTimeAsync(250);
    expect((await call).status).toBe(200);
    await settle();
    expect(isCancelled()).toBe(true);
  });

  test('whose cancellation never ends holds nothing up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stubborn = new ReadableStream({ pull: () => new Promise(() => {}), cancel: () => new Promise(() => {}) });
    const answers = [fetched(503, stubborn), respond(200)];
    const call = scripted({}, () => answers.shift() ?? fail()).call();
    await vi.advanceTimersByTimeAsync(250);
    expect((await call).status).toBe(200);
  });
});

describe('hints', () => {
  test.each<[string, Record<string, string>, RetryConfig, readonly number[]]>([
    ['retry-after in seconds', { 'retry-after': '7' }, {}, [7_000]],
    ['retry-after-ms first', { 'retry-after-ms': '1500', 'retry-after': '7' }, {}, [1_500]],
    ['retry-after 0 at once', { 'retry-after': '0' }, {}, [0]],
    ['clamped', { 'retry-after': '7' }, { retryAfter: 'clamp', maxDelayMs: 2_000 }, [2_000]],
    ['ignored', { 'retry-after': '7' }, { retryAfter: 'ignore' }, [1_000]],
    ['unreadable, so our own wait', { 'retry-after': '12abc' }, {}, [1_000]],
    ['negative, so our own wait', { 'retry-after': '-5' }, {}, [1_000]],
  ])('%s', async (_title, headers, config, slept) => {
    const { call, slept: waits } = scripted(config, respond(429, headers), 200);
    await call();
    expect(waits).toEqual(slept);
  });

  test('of 0 still cost a retry each', async () => {
    const { call, inner, slept } = scripted({}, respond(429, { 'retry-after': '0' }));
    await call();
    expect([inner.calls.length, slept]).toEqual([4, [0, 0, 0]]);
  });

  test.each(['2592000', '1000000000'])(
    'of %s s lead to one request and a readable 429, and say when it would be possible',
    async (seconds) => {
      const { events, ...config } = observed();
      const { call, inner, slept } = scripted(config, fetched(429, 'slow down', { 'retry-after': seconds }));
      const response = await call();
      expect([response.status, await response.text(), inner.calls.length, slept]).toEqual([429, 'slow down', 1, []]);
      expect(events).toMatchObject([{ type: 'failed', because: 'retry-after-too-long' }]);
      expect(events[0]).toHaveProperty('possibleAt', (inner.calls[0]?.at ?? 0) + Number(seconds) * 1_000);
    },
  );
});

describe('limits', () => {
  test('on the total are inclusive', async () => {
    const { call, slept } = scripted({ maxTotalDelayMs: 3_000, maxRetries: 10 }, 503);
    await call();
    expect(slept).toEqual([1_000, 2_000]);
  });

  test('on the total count every wait', async () => {
    const steady: RetryConfig = { backoffMultiplier: 1, maxTotalDelayMs: 3_500, maxRetries: 10 };
    const { call, slept } = scripted(steady, 503, respond(429, { 'retry-after': '1' }), 503);
    await call();
    expect(slept).toEqual([1_000, 1_000, 1_000]);
  });

  test('on the time since the first attempt are inclusive and count the attempts', async () => {
    const runtime = fakeRuntime();
    const slow = (): Response => {
      runtime.time += 500;
      return respond(503);
    };
    const { events, ...config } = observed({ runtime, jitter: 'none', maxElapsedMs: 4_000, maxRetries: 10 });
    await createRetryFetch(script(runtime, slow), config)(URL_OF_TEST);
    expect(runtime.slept).toEqual([1_000, 2_000]);
    expect(events.at(-1)).toMatchObject({ type: 'failed', because: 'deadline', elapsedMs: 4_500 });
  });
});

describe('a limit that has passed', () => {
  test('does not cut an attempt in flight', async () => {
    const runtime = fakeRuntime();
    const slow = (status: number) => () => {
      runtime.time += 3_000;
      return respond(status);
    };
    const inner = script(runtime, slow(503), slow(200));
    const response = await createRetryFetch(inner, { runtime, jitter: 'none', maxElapsedMs: 4_000 })(URL_OF_TEST);
    expect(response.status).toBe(200);
  });
});

describe('throwOnExhausted', () => {
  test('throws an error with the readable response, the attempts and the history', async () => {
    const { call } = scripted({ throwOnExhausted: true, maxRetries: 1 }, 503, () => fetched(503, 'busy'));
    const error = await thrownBy(call());
    expect(error).toBeInstanceOf(RetryExhaustedError);
    expect(error).toMatchObject({ attempts: 2, history: [{ attempt: 1 }, { attempt: 2 }] });
    const { response } = error instanceof RetryExhaustedError ? error : { response: undefined };
    expect(response).toMatchObject({ status: 503, url: URL_OF_TEST, bodyUsed: false });
    await expect((response instanceof Response ? response : respond(500)).text()).resolves.toBe('busy');
    expect(retryHistory(Object(error))).toHaveLength(2);
    expect(retryHistory(Object(response))).toHaveLength(2);
  });

  test.each<[string, Step]>([
    ['a 400', 400],
    ['an exhausted quota', respondError(429, { code: 'insufficient_quota' })],
    ['a server that said no', respond(429, { 'x-should-retry': 'false' })],
  ])('still returns %s', async (_title, step) => {
    await expect(scripted({ throwOnExhausted: true }, step).call()).resolves.toBeInstanceOf(Response);
  });

  test('still rethrows what was thrown', async () => {
    const error = reset();
    expect(await thrownBy(scripted({ throwOnExhausted: true }, error).call())).toBe(error);
  });

  test('throws for a hint that is too long, too', async () => {
    const call = scripted({ throwOnExhausted: true }, respond(429, { 'retry-after': '2592000' })).call();
    await expect(call).rejects.toBeInstanceOf(RetryExhaustedError);
  });
});

describe('markFinalResponse', () => {
  test('marks a response that was given up, and keeps its url, body and history', async () => {
    const { call } = scripted({ markFinalResponse: true, maxRetries: 1 }, () => fetched(503, 'busy', { 'x-a': '1' }));
    const response = await call();
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect([response.status, response.url, response.headers.get('x-a'), await response.text()]).toEqual([
      503,
      URL_OF_TEST,
      '1',
      'busy',
    ]);
    expect(retryHistory(response)).toHaveLength(2);
  });

  test('marks what is thrown by throwOnExhausted', async () => {
    const error = await thrownBy(scripted({ markFinalResponse: true, throwOnExhausted: true }, 503).call());
    expect(error).toMatchObject({ response: { status: 503 } });
    expect(
      error instanceof RetryExhaustedError &&
        error.response instanceof Response &&
        error.response.headers.get('x-should-retry'),
    ).toBe('false');
  });

  test('is not done to a success, nor without being asked for', async () => {
    expect((await scripted({ markFinalResponse: true }, 200).call()).headers.has('x-should-retry')).toBe(false);
    expect((await scripted({ markFinalResponse: true }, 503, 200).call()).headers.has('x-should-retry')).toBe(false);
    expect((await scripted({}, 503).call()).headers.has('x-should-retry')).toBe(false);
  });
});

describe('classify', () => {
  const cacheMiss: Failure = {
    type: 'cache_error',
    retryable: true,
    category: 'retryable',
    message: 'cold cache',
    phase: 'response',
  };

  test('can have a 400 retried', async () => {
    const { call, inner } = scripted({ classify: () => cacheMiss }, 400, 200);
    expect((await call()).status).toBe(200);
    expect(inner.calls).toHaveLength(2);
  });

  test('can keep a 503 from being retried', async () => {
    const { call, inner } = scripted({ classify: (failure) => ({ ...failure, retryable: false }) }, 503);
    await call();
    expect(inner.calls).toHaveLength(1);
  });

  test('sees what was read of the body', async () => {
    const bodies: unknown[] = [];
    const classify: NonNullable<RetryConfig['classify']> = (_failure, outcome) => {
      bodies.push('body' in outcome ? outcome.body : outcome.error);
      return undefined;
    };
    await scripted({ classify, maxRetries: 0 }, () => fetched(503, 'busy')).call();
    expect(bodies).toEqual(['busy']);
  });

  test('leaves the status in the errors that callbacks and callers get', async () => {
    const onRetry = vi.fn<(attempt: number, error: Error, delayMs: number) => void>();
    const { call } = scripted(
      { classify: () => cacheMiss, onRetry, throwOnExhausted: true, maxRetries: 1 },
      respond(418, {}, 'tea'),
    );
    await expect(call()).rejects.toThrow('HTTP 418 after 2 attempts, last: cache_error (cold cache).');
    expect(onRetry.mock.calls[0]?.[1].message).toBe('HTTP 418: tea');
  });

  test('names the failure in events, and its strategy sets the wait', async () => {
    const { events, ...config } = observed();
    const { call, slept } = scripted(
      { ...config, classify: () => cacheMiss, strategies: { cache_error: {} } },
      400,
      200,
    );
    await call();
    expect(slept).toEqual([0]);
    expect(events[0]).toMatchObject({ type: 'retry', failure: { type: 'cache_error' } });
  });

  test('that throws rejects the call with that very error and lets the answer go', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const error = new Error('in classify');
    const { body, isCancelled } = hangingBody();
    const { call, inner } = scripted(
      {
        classify: () => {
          throw error;
        },
      },
      () => fetched(503, body),
    );
    const thrown = thrownBy(call());
    await vi.advanceTimersByTimeAsync(250);
    expect(await thrown).toBe(error);
    expect(inner.calls).toHaveLength(1);
    await settle();
    expect(isCancelled()).toBe(true);
  });
});

describe('shouldRetry', () => {
  test.each<[string, boolean | Promise<boolean>, number]>([
    ['true retries', true, 2],
    ['false stops', false, 1],
    ['a promise of true retries', Promise.resolve(true), 2],
    ['a promise of false stops', Promise.resolve(false), 1],
  ])('%s', async (_title, answer, calls) => {
    const { events, ...config } = observed();
    const { call, inner } = scripted({ ...config, shouldRetry: () => answer }, 503, 200);
    await call();
    expect(inner.calls).toHaveLength(calls);
    expect(events.at(-1)).toMatchObject(
      calls === 1 ? { type: 'failed', because: 'refused-by-caller' } : { type: 'recovered' },
    );
  });

  test('may only say no: it is not asked about what is not retried', async () => {
    const shouldRetry = vi.fn<(context: RetryContext) => boolean>(() => true);
    for (const step of [400, respondError(429, { code: 'insufficient_quota' }), new Error('a bug')]) {
      const { call, inner } = scripted({ shouldRetry }, step);
      await call().catch(() => {});
      expect(inner.calls).toHaveLength(1);
    }
    const { call, inner } = scripted({ shouldRetry, maxRetries: 0 }, 503);
    await call();
    expect(inner.calls).toHaveLength(1);
    expect(shouldRetry).not.toHaveBeenCalled();
  });

  test('is told what would follow', async () => {
    const contexts: RetryContext[] = [];
    const { call } = scripted(
      { requestId: 'id', shouldRetry: (context) => contexts.push(context) > 0 },
      503,
      reset(),
      200,
    );
    await call({ method: 'POST' });
    expect(contexts).toMatchObject([
      {
        requestId: 'id',
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

  test('is asked before anybody is told of a wait', async () => {
    const order: string[] = [];
    const config: RetryConfig = { shouldRetry: async () => order.push('asked') > 0, onRetry: () => order.push('told') };
    await scripted(config, 503, 200).call();
    expect(order).toEqual(['asked', 'told']);
  });

  test.each<[string, () => boolean | Promise<boolean>]>([
    [
      'throws',
      () => {
        throw new Error('in shouldRetry');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('in shouldRetry'))],
  ])('that %s rejects the call with that error, and the chain has an end', async (_title, shouldRetry) => {
    const { events, ...config } = observed();
    const { call, inner } = scripted({ ...config, shouldRetry }, 503);
    await expect(call()).rejects.toThrow('in shouldRetry');
    expect(inner.calls).toHaveLength(1);
    expect(events).toMatchObject([
      { type: 'failed', attempts: 1, failure: { status: 503 }, history: [{ attempt: 1, delayMs: null }] },
    ]);
  });
});

describe('callbacks', () => {
  test('onRetry gets exactly the attempt that failed, its error and the wait', async () => {
    const onRetry = vi.fn<(...args: unknown[]) => void>();
    const error = reset();
    await scripted({ onRetry }, 503, error, 200).call();
    expect(onRetry.mock.calls).toEqual([
      [1, expect.any(HttpStatusError), 1_000],
      [2, error, 2_000],
    ]);
    expect(onRetry.mock.calls[1]?.[1]).toBe(error);
  });

  test('the error of a status says it with the body', async () => {
    const onRetry = vi.fn<(attempt: number, error: Error, delayMs: number) => void>();
    await scripted({ onRetry }, respondError(429, { message: 'slow down' }), 200).call();
    const error = onRetry.mock.calls[0]?.[1];
    expect(error).toBeInstanceOf(HttpStatusError);
    expect(error?.message).toBe('HTTP 429: {"error":{"message":"slow down"}}');
    expect(error).toMatchObject({ status: 429, failure: { type: 'rate_limit' } });
  });

  test('the error of a status shows at most 2 KiB of the body', async () => {
    const onExhausted = vi.fn<(error: Error, attempts: number) => void>();
    await scripted({ onExhausted, maxRetries: 0 }, respond(503, {}, 'x'.repeat(50_000))).call();
    expect(onExhausted.mock.calls[0]?.[0].message).toBe(`HTTP 503: ${'x'.repeat(2_048)}`);
  });

  test('onExhausted is called once with the last error and the attempts', async () => {
    const onExhausted = vi.fn<(error: Error, attempts: number) => void>();
    await scripted({ onExhausted }, 503).call();
    expect(onExhausted.mock.calls).toEqual([[expect.objectContaining({ status: 503 }), 4]]);
  });

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

  test('come in order: onRetry, onEvent, then the wait', async () => {
    const order: string[] = [];
    const runtime = { ...fakeRuntime(), sleep: async () => void order.push('sleep') };
    const config: RetryConfig = {
      runtime,
      maxRetries: 1,
      onRetry: () => order.push('onRetry'),
      onEvent: ({ type }) => order.push(type),
      onExhausted: () => order.push('onExhausted'),
    };
    await createRetryFetch(script(fakeRuntime(), 503), config)(URL_OF_TEST);
    expect(order).toEqual(['onRetry', 'retry', 'sleep', 'onExhausted', 'failed']);
  });
});

describe('a controller', () => {
  test('retries now, and says that the next attempt is no longer due', async () => {
    const { controller, runtime, inner, call } = steered({}, 503, 200);
    const answer = call();
    await runtime.untilWaiting();
    expect([controller.isRetrying, controller.nextAttemptAt]).toEqual([true, runtime.time + 1_000]);
    controller.retryNow();
    expect((await answer).status).toBe(200);
    expect(inner.calls[1]?.at).toBe(inner.calls[0]?.at);
    expect([controller.isRetrying, controller.nextAttemptAt]).toEqual([false, null]);
  });

  test('gives up with the last response, unread, its reason and its callback', async () => {
    const onExhausted = vi.fn<(error: Error, attempts: number) => void>();
    const { events, ...config } = observed({ onExhausted });
    const last = fetched(503, 'busy');
    const { controller, runtime, call } = steered(config, () => last);
    const answer = call();
    await runtime.untilWaiting();
    controller.giveUp();
    expect(await answer).toBe(last);
    await expect(last.text()).resolves.toBe('busy');
    expect(events.map(({ type }) => type)).toEqual(['retry', 'failed']);
    expect(events[1]).toMatchObject({ because: 'given-up', attempts: 1 });
    expect(onExhausted.mock.calls).toEqual([[expect.objectContaining({ message: 'HTTP 503: busy' }), 1]]);
  });

  test('gives up with the last error', async () => {
    const error = reset();
    const onExhausted = vi.fn<(error: Error, attempts: number) => void>();
    const { controller, runtime, call } = steered({ onExhausted }, error);
    const thrown = thrownBy(call());
    await runtime.untilWaiting();
    controller.giveUp();
    expect(await thrown).toBe(error);
    expect(onExhausted.mock.calls).toEqual([[error, 1]]);
  });

  test('gives up as an error where that was asked for', async () => {
    const { controller, runtime, call } = steered({ throwOnExhausted: true }, 503);
    const thrown = thrownBy(call());
    await runtime.untilWaiting();
    controller.giveUp();
    expect(await thrown).toBeInstanceOf(RetryExhaustedError);
  });

  test('switched off keeps a failure from being retried', async () => {
    const { events, ...config } = observed();
    const { controller, inner, call } = steered(config, 503);
    controller.enabled = false;
    expect((await call()).status).toBe(503);
    expect(inner.calls).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'failed', because: 'disabled' }]);
    expect(controller.isRetrying).toBe(false);
  });

  test('switched off while a call waits does not cut the wait, but starts no retry', async () => {
    const { events, ...config } = observed();
    const { controller, runtime, inner, call } = steered(config, 503);
    let answered = false;
    const answer = call().then((response) => {
      answered = true;
      return response;
    });
    await runtime.untilWaiting();
    controller.enabled = false;
    await settle();
    expect(answered).toBe(false);
    runtime.waits[0]?.end();
    expect((await answer).status).toBe(503);
    expect(inner.calls).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'failed', because: 'disabled' });
  });

  test('switched off and on again while a call waits changes nothing', async () => {
    const { controller, runtime, call } = steered({}, 503, 200);
    const answer = call();
    await runtime.untilWaiting();
    controller.enabled = false;
    controller.enabled = true;
    runtime.waits[0]?.end();
    expect((await answer).status).toBe(200);
  });

  test('steers many calls at once: the earliest is next, and one word concerns all', async () => {
    const { controller, runtime, inner, call } = steered(
      { baseDelayMs: 100 },
      503,
      respond(503, { 'retry-after-ms': '30' }),
      503,
      200,
    );
    const answers = [call(), call(), call()];
    await vi.waitFor(() => expect(runtime.waits).toHaveLength(3));
    expect(controller.nextAttemptAt).toBe(runtime.time + 30);
    const idle = controller.whenIdle();
    controller.retryNow();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await expect(idle).resolves.toBeUndefined();
    expect([controller.isRetrying, inner.calls.length]).toEqual([false, 6]);
  });

  test('publishes to its subscribers what onEvent gets, and is idle only after the last of it', async () => {
    const { events, ...config } = observed();
    const { controller, runtime, call } = steered(config, 503, 200);
    const heard: unknown[] = [];
    const leave = controller.subscribe((event) => heard.push(event));
    const answer = call();
    await runtime.untilWaiting();
    const idle = controller.whenIdle().then(() => heard.length);
    controller.retryNow();
    await answer;
    expect(await idle).toBe(2);
    expect(heard).toEqual(events);
    leave();
    const again = call();
    await settle();
    await again;
    expect(heard).toHaveLength(2);
  });

  test('is idle again when a wait breaks', async () => {
    const controller = new RetryController();
    const error = new Error('no clock');
    const runtime = { ...fakeRuntime(), sleep: async () => Promise.reject(error) };
    const { events, ...config } = observed({ controller, runtime });
    expect(await thrownBy(createRetryFetch(script(fakeRuntime(), 503), config)(URL_OF_TEST))).toBe(error);
    expect([controller.isRetrying, controller.nextAttemptAt]).toEqual([false, null]);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'failed']);
  });
});

describe('an operation', () => {
  test('that must not be repeated is not, once it may have run', async () => {
    const { events, ...config } = observed({ operation: 'deploy' });
    const { call, inner } = scripted(config, 503);
    expect((await call()).status).toBe(503);
    expect(inner.calls).toHaveLength(1);
    expect(events).toMatchObject([{ because: 'irreversible-operation' }]);
  });

  test('that must not be repeated may be, when nothing was sent', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    });
    const { call, inner } = scripted({ operation: 'deploy' }, refused, 200);
    expect((await call()).status).toBe(200);
    expect(inner.calls).toHaveLength(2);
  });

  test('is named by the request where a function is given', async () => {
    expect((await scripted({ operation: nameOf }, 503, 200).call()).status).toBe(200);
    expect((await scripted({ operation: nameOf }, 503, 200).call({ method: 'DELETE' })).status).toBe(503);
  });
});

describe('a runtime', () => {
  test('that is an instance of a class is used for everything', async () => {
    class Clock {
      readonly slept: number[] = [];
      time = 5;
      now(): number {
        return this.time;
      }
      random(): number {
        return this.time > 0 ? 1 : 0;
      }
      async sleep(ms: number): Promise<void> {
        this.slept.push(ms);
        this.time += ms;
      }
    }
    const clock = new Clock();
    const response = await createRetryFetch(script(fakeRuntime(), 503, 200), { runtime: clock })(URL_OF_TEST);
    expect([response.status, clock.slept]).toEqual([200, [1_200]]);
  });
});
