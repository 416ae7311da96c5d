import { describe, expect, test, vi } from 'vitest';
import {
  DEFAULT_RETRY_CONFIG,
  FetchTransport,
  type HttpTransport,
  type RetryConfig,
  RetryController,
  retryHistory,
  RetryTransport,
} from '../src/index.ts';
import {
  fakeRuntime,
  heldRuntime,
  observed,
  respond,
  script,
  scriptTransport,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from './script.ts';

const fetchFailed = (): TypeError => new TypeError('fetch failed');
const quick: RetryConfig = { baseDelayMs: 10, backoffMultiplier: 2, jitterFactor: 0 };

function transport(config: RetryConfig, ...steps: readonly [Step, ...Step[]]) {
  const inner = scriptTransport(...steps);
  return { inner, retrying: new RetryTransport(inner, { runtime: fakeRuntime(), ...config }) };
}

/** A transport whose answers are as little as the interface asks for. */
function minimal(...statuses: readonly number[]): {
  readonly inner: HttpTransport;
  readonly texts: { count: number };
} {
  const texts = { count: 0 };
  let call = 0;
  const get: HttpTransport['get'] = async () => {
    const status = statuses[Math.min(call, statuses.length - 1)] ?? 200;
    call += 1;
    return {
      ok: status < 400,
      status,
      text: async () => {
        texts.count += 1;
        return `{"status":${status}}`;
      },
      json: async () => {
        throw new Error('The body was read already.');
      },
    };
  };
  return { inner: { get, post: async () => respond(500) }, texts };
}

describe('what its forerunner did', () => {
  test('a success is the same response object, and the inner transport is called once', async () => {
    const response = respond(200);
    const { inner, retrying } = transport(quick, response);
    expect(await retrying.post(URL_OF_TEST, { a: 1 })).toBe(response);
    expect(inner.calls).toHaveLength(1);
  });

  test('the inner transport is called with exactly (url, body, headers, undefined)', async () => {
    const { inner, retrying } = transport(quick, 200);
    const body = { a: 1 };
    const headers = { 'x-a': '1' };
    await retrying.post(URL_OF_TEST, body, headers);
    expect(inner.calls).toEqual([[URL_OF_TEST, body, headers, undefined]]);
    expect(inner.calls[0]).toHaveLength(4);
    expect(inner.calls[0]?.[1]).toBe(body);
    expect(inner.calls[0]?.[2]).toBe(headers);
  });

  test('"fetch failed" thrown once and then a 200 gives the 200 with two calls', async () => {
    const { inner, retrying } = transport(quick, fetchFailed(), 200);
    expect((await retrying.post(URL_OF_TEST, {})).status).toBe(200);
    expect(inner.calls).toHaveLength(2);
  });

  test.each([429, 500])('a %i and then a 200 gives the 200 with two calls', async (status) => {
    const { inner, retrying } = transport(quick, status, 200);
    expect((await retrying.post(URL_OF_TEST, {})).status).toBe(200);
    expect(inner.calls).toHaveLength(2);
  });

  test.each([401, 400])('a %i is the same response object after one call', async (status) => {
    const response = respond(status);
    const { inner, retrying } = transport(quick, response);
    expect(await retrying.post(URL_OF_TEST, {})).toBe(response);
    expect(inner.calls).toHaveLength(1);
  });

  test('"invalid api key" rejects with that message after one call', async () => {
    const { inner, retrying } = transport(quick, new Error('invalid api key'));
    await expect(retrying.post(URL_OF_TEST, {})).rejects.toThrow('invalid api key');
    expect(inner.calls).toHaveLength(1);
  });

  test('with two retries "fetch failed" for ever rejects with it after three calls, and onExhausted gets it with 3', async () => {
    const error = fetchFailed();
    const onExhausted = vi.fn<(error: Error, attempts: number) => void>();
    const { inner, retrying } = transport({ ...quick, maxRetries: 2, onExhausted }, error);
    expect(await thrownBy(retrying.post(URL_OF_TEST, {}))).toBe(error);
    expect(inner.calls).toHaveLength(3);
    expect(onExhausted).toHaveBeenCalledOnce();
    expect(onExhausted.mock.calls[0]?.[0]).toBe(error);
    expect(onExhausted.mock.calls[0]?.[1]).toBe(3);
  });

  test('a signal that was aborted before rejects with AbortError and no call', async () => {
    const { inner, retrying } = transport(quick, 200);
    await expect(retrying.post(URL_OF_TEST, {}, {}, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(inner.calls).toHaveLength(0);
  });

  test('an AbortError of the inner transport rejects with AbortError after one call', async () => {
    const { inner, retrying } = transport(quick, new DOMException('aborted', 'AbortError'));
    await expect(retrying.post(URL_OF_TEST, {})).rejects.toMatchObject({ name: 'AbortError' });
    expect(inner.calls).toHaveLength(1);
  });

  test('a 429 with Retry-After 0 calls onRetry(1, Error, 0)', async () => {
    const onRetry = vi.fn<(...args: unknown[]) => void>();
    const { retrying } = transport({ ...quick, onRetry }, respond(429, { 'retry-after': '0' }), 200);
    await retrying.post(URL_OF_TEST, {});
    expect(onRetry.mock.calls).toEqual([[1, expect.any(Error), 0]]);
  });

  test('a 429 with Retry-After 120 and maxDelayMs 50 calls onRetry(1, Error, 50), when hints are clamped', async () => {
    const onRetry = vi.fn<(...args: unknown[]) => void>();
    const config: RetryConfig = { ...quick, maxDelayMs: 50, retryAfter: 'clamp', onRetry };
    const { retrying } = transport(config, respond(429, { 'retry-after': '120' }), 200);
    await retrying.post(URL_OF_TEST, {});
    expect(onRetry.mock.calls).toEqual([[1, expect.any(Error), 50]]);
  });

  test('network errors call onRetry with exactly (attempt, the error itself, the growing wait)', async () => {
    const errors = [fetchFailed(), fetchFailed()] as const;
    const onRetry = vi.fn<(...args: unknown[]) => void>();
    const { retrying } = transport({ ...quick, onRetry }, errors[0], errors[1], 200);
    await retrying.post(URL_OF_TEST, {});
    expect(onRetry.mock.calls).toEqual([
      [1, errors[0], 10],
      [2, errors[1], 20],
    ]);
    expect(onRetry.mock.calls.map((args) => args[1])).toEqual(errors);
    expect(onRetry.mock.calls[0]?.[1]).toBe(errors[0]);
    expect(onRetry.mock.calls[1]?.[1]).toBe(errors[1]);
  });

  test('the defaults are 3 retries, 1 s at first, times 2, a fifth of jitter, and those statuses', () => {
    expect(DEFAULT_RETRY_CONFIG).toMatchObject({
      maxRetries: 3,
      baseDelayMs: 1_000,
      backoffMultiplier: 2,
      jitterFactor: 0.2,
    });
    expect(DEFAULT_RETRY_CONFIG.retryableStatusCodes).toEqual(expect.arrayContaining([429, 500, 502, 503, 504]));
  });

  test('answers of a mock with body: null, no cancel and no headers are retried', async () => {
    const answers = [
      { ok: false, status: 503, body: null },
      { ok: true, status: 200, body: null },
    ];
    const inner = { get: vi.fn<() => Promise<unknown>>(), post: vi.fn<() => Promise<unknown>>() };
    for (const answer of answers) inner.post.mockResolvedValueOnce(answer);
    // @ts-expect-error -- a mock, as the tests of callers have them
    const retrying = new RetryTransport(inner, { ...quick, runtime: fakeRuntime() });
    expect(await retrying.post(URL_OF_TEST, {})).toBe(answers[1]);
  });
});

describe('what its forerunner got wrong', () => {
  test('no wait exceeds the cap, jitter included', async () => {
    const runtime = fakeRuntime(() => 0.999);
    const { retrying } = transport({ maxRetries: 10, runtime }, 503);
    await retrying.post(URL_OF_TEST, {});
    expect(Math.max(...runtime.slept)).toBeLessThanOrEqual(60_000);
  });

  test('maxRetries: undefined is the default', async () => {
    const { inner, retrying } = transport({ maxRetries: undefined }, 503);
    await retrying.post(URL_OF_TEST, {});
    expect(inner.calls).toHaveLength(4);
  });

  test('a throwing onRetry neither replaces the result nor causes a second one', async () => {
    const onRetry = vi.fn<() => void>(() => {
      throw new Error('listener');
    });
    const { inner, retrying } = transport({ ...quick, onRetry }, 503, 200);
    expect((await retrying.post(URL_OF_TEST, {})).status).toBe(200);
    expect([onRetry.mock.calls.length, inner.calls.length]).toEqual([1, 2]);
  });

  test('a numeric code, which every DOMException has, hides nothing', async () => {
    const error = new DOMException('The operation timed out.', 'TimeoutError');
    const { inner, retrying } = transport(quick, error);
    expect(await thrownBy(retrying.post(URL_OF_TEST, {}))).toBe(error);
    expect(inner.calls).toHaveLength(1);
  });

  test('a 503 that is given up still has its body and headers', async () => {
    const response = respond(503, { 'x-request-id': 'abc' }, 'busy');
    const { retrying } = transport({ ...quick, maxRetries: 1 }, 503, response);
    const last = await retrying.post(URL_OF_TEST, {});
    expect(last).toBe(response);
    expect([last.headers.get('x-request-id'), await last.text()]).toEqual(['abc', 'busy']);
  });

  test('headers of another realm keep their Retry-After', async () => {
    const runtime = fakeRuntime();
    const headers = { get: (name: string) => (name.toLowerCase() === 'retry-after' ? '7' : null) };
    const inner = { get: vi.fn<() => Promise<unknown>>(), post: vi.fn<() => Promise<unknown>>() };
    inner.post
      .mockResolvedValueOnce({ ok: false, status: 429, headers, text: async () => '' })
      .mockResolvedValue(respond(200));
    // @ts-expect-error -- a mock, as the tests of callers have them
    await new RetryTransport(inner, { ...quick, runtime, maxRetryAfterMs: 10_000 }).post(URL_OF_TEST, {});
    expect(runtime.slept).toEqual([7_000]);
  });

  test('a 529 is retried, a quota 429 is not', async () => {
    const overloaded = transport(quick, 529, 200);
    expect((await overloaded.retrying.post(URL_OF_TEST, {})).status).toBe(200);
    const quota = transport(quick, respond(429, {}, '{"error":{"code":"insufficient_quota"}}'));
    expect((await quota.retrying.post(URL_OF_TEST, {})).status).toBe(429);
    expect(quota.inner.calls).toHaveLength(1);
  });
});

describe('post', () => {
  test('hands the same body on each time and never serialises it', async () => {
    const body = { toJSON: vi.fn<() => never>() };
    const { inner, retrying } = transport(quick, 503, 503, 200);
    await retrying.post(URL_OF_TEST, body);
    expect(inner.calls.map((args) => args[1] === body)).toEqual([true, true, true]);
    expect(body.toJSON).not.toHaveBeenCalled();
  });

  test('hands data on again whose members sound like those of a stream', async () => {
    const { inner, retrying } = transport(quick, 503, 200);
    await retrying.post(URL_OF_TEST, { next: 'cursor', pipe: 'a|b' });
    expect(inner.calls).toHaveLength(2);
  });

  test('hands a stream on once and gives its answer back', async () => {
    const { events, ...config } = observed(quick);
    const { inner, retrying } = transport(config, respond(503, {}, 'busy'), 200);
    const response = await retrying.post(URL_OF_TEST, new ReadableStream());
    expect([response.status, await response.text(), inner.calls.length]).toEqual([503, 'busy', 1]);
    expect(events).toMatchObject([{ type: 'failed', because: 'body-not-replayable' }]);
  });

  test('retries with the headers of the call, whatever became of them', async () => {
    const headers: Record<string, string> = { 'x-a': '1' };
    const { inner, retrying } = transport(quick, 503, 200);
    const call = retrying.post(URL_OF_TEST, {}, headers);
    headers['x-a'] = '2';
    await call;
    expect(inner.calls[1]?.[2]).toEqual({ 'x-a': '1' });
  });
});

describe('get', () => {
  test('passes exactly (url, headers, signal) and gives the same object', async () => {
    const response = respond(200);
    const { inner, retrying } = transport(quick, response);
    const headers = { 'x-a': '1' };
    const { signal } = new AbortController();
    expect(await retrying.get(URL_OF_TEST, headers, signal)).toBe(response);
    expect(inner.calls).toEqual([[URL_OF_TEST, headers, signal]]);
    expect(inner.calls[0]?.[1]).toBe(headers);
    expect(inner.calls[0]?.[2]).toBe(signal);
  });

  test('retries answers that are no Response', async () => {
    const { inner } = minimal(503, 429, 200);
    const response = await new RetryTransport(inner, { ...quick, runtime: fakeRuntime() }).get(URL_OF_TEST);
    expect(response.status).toBe(200);
  });

  test('reads a failed one once and hands it on with text() and json() that repeat it', async () => {
    const { inner, texts } = minimal(503);
    const response = await new RetryTransport(inner, { ...quick, maxRetries: 0, runtime: fakeRuntime() }).get(
      URL_OF_TEST,
    );
    expect(texts.count).toBe(1);
    await expect(response.text()).resolves.toBe('{"status":503}');
    await expect(response.json()).resolves.toEqual({ status: 503 });
    expect(texts.count).toBe(1);
    expect(retryHistory(response)).toHaveLength(1);
  });

  test('does not touch a success', async () => {
    const { inner, texts } = minimal(200);
    await new RetryTransport(inner, { ...quick, runtime: fakeRuntime() }).get(URL_OF_TEST);
    expect(texts.count).toBe(0);
  });

  test('finds a quota in a failed one', async () => {
    const get = vi.fn<HttpTransport['get']>(async () => ({
      ok: false,
      status: 429,
      text: async () => '{"error":{"code":"insufficient_quota"}}',
      json: async () => JSON.parse('{}'),
      body: null,
    }));
    const retrying = new RetryTransport({ get, post: async () => respond(500) }, { ...quick, runtime: fakeRuntime() });
    await retrying.get(URL_OF_TEST);
    expect(get).toHaveBeenCalledOnce();
  });

  test('waits at most 250 ms for a text() that hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const hanging = {
      ok: false,
      status: 503,
      text: () => new Promise<string>(() => {}),
      json: () => new Promise<never>(() => {}),
    };
    const get = vi.fn<HttpTransport['get']>().mockResolvedValueOnce(hanging).mockResolvedValue(respond(200));
    const runtime = fakeRuntime();
    const call = new RetryTransport({ get, post: async () => respond(500) }, { ...quick, runtime }).get(URL_OF_TEST);
    await vi.advanceTimersByTimeAsync(249);
    expect(runtime.slept).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    expect((await call).status).toBe(200);
  });
});

describe('with', () => {
  test('changes what it says for this one and keeps the rest', async () => {
    const runtime = fakeRuntime();
    const { inner, retrying } = transport({ ...quick, runtime, maxRetries: 5 }, 503);
    const once = retrying.with({ maxRetries: 1 });
    expect(once).toBeInstanceOf(RetryTransport);
    await once.post(URL_OF_TEST, {});
    expect(inner.calls).toHaveLength(2);
    await retrying.post(URL_OF_TEST, {});
    expect(inner.calls).toHaveLength(8);
    expect(runtime.slept[0]).toBe(10);
  });

  test('keeps what was given, whatever became of the object it was given in', async () => {
    const config = { ...quick, maxRetries: 1, runtime: fakeRuntime() };
    const inner = scriptTransport(503);
    const retrying = new RetryTransport(inner, config);
    config.maxRetries = 9;
    await retrying.with({ onRetry: () => {} }).post(URL_OF_TEST, {});
    expect(inner.calls).toHaveLength(2);
  });

  test('refuses what cannot be', () => {
    const { retrying } = transport(quick, 200);
    expect(() => retrying.with({ maxRetries: -1 })).toThrow('`maxRetries`');
  });

  test('gives each conversation a controller of its own', async () => {
    const runtime = heldRuntime();
    const { retrying } = transport({ ...quick, runtime }, 503);
    const [one, other] = [new RetryController(), new RetryController()];
    const calls = [one, other].map((controller) => retrying.with({ controller, maxRetries: 1 }).post(URL_OF_TEST, {}));
    await vi.waitFor(() => expect(runtime.waits).toHaveLength(2));
    one.giveUp();
    await calls[0];
    expect([one.isRetrying, other.isRetrying]).toEqual([false, true]);
    other.giveUp();
    await calls[1];
  });
});

describe('a transport', () => {
  test('is one itself, and may be wrapped around FetchTransport', async () => {
    const runtime = fakeRuntime();
    const fetch = script(runtime, 503, 200);
    const retrying: HttpTransport = new RetryTransport(new FetchTransport({ fetch }), { runtime });
    expect((await retrying.post(URL_OF_TEST, { a: 1 })).status).toBe(200);
    expect(fetch.calls.map(({ init }) => init?.body)).toEqual(['{"a":1}', '{"a":1}']);
  });

  test('does not retry a URL that is none', async () => {
    const runtime = fakeRuntime();
    const retrying = new RetryTransport(new FetchTransport(), { runtime });
    await expect(retrying.get('/v1/messages')).rejects.toThrow('Expected `url` to be an absolute URL');
    expect(runtime.slept).toEqual([]);
  });

  test('takes a URL object from callers in JavaScript', async () => {
    const { events, ...config } = observed(quick);
    const { retrying } = transport(config, 503, 200);
    // @ts-expect-error -- callers in JavaScript
    await retrying.post(new URL(`${URL_OF_TEST}?key=secret`), {});
    expect(events.map(({ url }) => url)).toEqual([URL_OF_TEST, URL_OF_TEST]);
  });

  test.each([[undefined], [null], [{}], [{ get: () => {} }]])('that is none is refused: %j', (inner) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => new RetryTransport(inner)).toThrow(
      'Expected `inner` to be a transport with get() and post(); wrap a fetch with new FetchTransport({ fetch }).',
    );
  });

  test('keeps its owner: methods of a class are called on it', async () => {
    class Counting implements HttpTransport {
      count = 0;
      async get(): Promise<Response> {
        this.count += 1;
        return respond(this.count < 2 ? 503 : 200);
      }
      async post(): Promise<Response> {
        return this.get();
      }
    }
    const retrying = new RetryTransport(new Counting(), { ...quick, runtime: fakeRuntime() });
    expect((await retrying.get(URL_OF_TEST)).status).toBe(200);
  });
});
