import { describe, expect, test, vi } from 'vitest';
import { DEFAULT_RETRY_CONFIG, type RetryConfig, RetryTransport } from '../src/index.ts';
import { fakeRuntime, respond, scriptTransport, type Step, thrownBy, URL_OF_TEST } from './script.ts';

const fetchFailed = (): TypeError => new TypeError('fetch failed');
const quick: RetryConfig = { baseDelayMs: 10, backoffMultiplier: 2, jitterFactor: 0 };

function transport(config: RetryConfig, ...steps: readonly [Step, ...Step[]]) {
  const inner = scriptTransport(...steps);
  return { inner, retrying: new RetryTransport(inner, { runtime: fakeRuntime(), ...config }) };
}

describe('the behaviour of the predecessor that is kept', () => {
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

  test('with two retries "fetch failed" forever rejects with it after three calls, and onExhausted gets it with 3', async () => {
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

describe('the behaviour of the predecessor that is fixed', () => {
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

  test('a numeric code, which every DOMException has, is ignored', async () => {
    const error = new DOMException('The operation timed out.', 'TimeoutError');
    const { inner, retrying } = transport(quick, error);
    expect(await thrownBy(retrying.post(URL_OF_TEST, {}))).toBe(error);
    expect(inner.calls).toHaveLength(4);
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
