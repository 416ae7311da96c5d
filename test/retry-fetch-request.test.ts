import { describe, expect, test, vi } from 'vitest';
import { createRetryFetch, type Fetch, type RetryConfig } from '../src/index.ts';
import { fakeRuntime, observed, respond, type ScriptedFetch, type Step, thrownBy, URL_OF_TEST } from './script.ts';
import { BYTES, receiving } from './received-bodies.ts';
import { scripted } from './scripted-call.ts';

const headersOf = ({ input, init }: ScriptedFetch['calls'][number]): Headers =>
  new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));

describe('a request', () => {
  test('that was used fails at once with the error of fetch', async () => {
    const request = new Request(URL_OF_TEST, { method: 'POST', body: 'x' });
    await request.text();
    const { inner, retrying } = scripted(
      {},
      (input) => new Response(input instanceof Request ? new Request(input).url : ''),
    );
    const expected = await thrownBy((async () => new Request(request))());
    expect(await thrownBy(retrying(request))).toMatchObject({
      name: 'TypeError',
      message: String(Reflect.get(Object(expected), 'message')),
    });
    expect(inner.calls).toHaveLength(1);
  });

  test('that is being read is refused by fetch', async () => {
    const request = new Request(URL_OF_TEST, { method: 'POST', body: 'x' });
    request.body?.getReader();
    expect(await thrownBy(createRetryFetch({ fetch })(request))).toBeInstanceOf(TypeError);
  });

  test('with an init that is no object gets the answer where the runtime accepts that', async () => {
    const answer = Response.json({ ok: true });
    const retrying = createRetryFetch({ fetch: async () => answer, answers: { holdJson: true } });
    const request = new Request(URL_OF_TEST, { method: 'POST', body: '{}' });
    expect(await Reflect.apply(retrying, undefined, [request, 5])).toBe(answer);
  });

  test('without a body is passed unchanged each time', async () => {
    const request = new Request(URL_OF_TEST);
    const { inner, retrying } = scripted({}, 503, 503, 200);
    await retrying(request);
    expect(inner.calls.map(({ input }) => input === request)).toEqual([true, true, true]);
  });

  test.each<[string, Step[]]>([
    ['succeeds at once', [200]],
    ['recovers', [503, 200]],
    ['is given up', [400]],
    ['has no retry left', [503]],
  ])('with a body leaves no copy of it behind if the call %s', async (_title, [first = 200, ...rest]) => {
    const clone = vi.spyOn(Request.prototype, 'clone');
    const { inner, retrying } = scripted({}, first, ...rest);
    await retrying(new Request(URL_OF_TEST, { method: 'POST', body: 'x' }));
    const clones = clone.mock.results.map(({ value }) => value);
    const unsent = clones.filter((copy) => !inner.calls.some(({ input }) => input === copy));
    expect(unsent).not.toEqual([]);
    for (const copy of unsent) expect(copy).toMatchObject({ bodyUsed: true });
  });

  test('is aborted by its own signal', async () => {
    const controller = new AbortController();
    const request = new Request(URL_OF_TEST, { signal: controller.signal });
    const call = createRetryFetch({ fetch: () => new Promise(() => {}) })(request);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await thrownBy(call)).toBe(reason);
  });

  test('is not aborted by its own signal if the init removes it', async () => {
    const request = new Request(URL_OF_TEST, { signal: AbortSignal.abort() });
    const { retrying } = scripted({}, 503, 200);
    expect((await retrying(request, { signal: null })).status).toBe(200);
  });

  test('is aborted by the signal of the init instead of its own', async () => {
    const request = new Request(URL_OF_TEST);
    const reason = new Error('enough');
    expect(await thrownBy(scripted({}, 200).retrying(request, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});

test('headers that can be read only once are sent with every attempt', async () => {
  for (const config of [{}, { idempotencyKeyHeader: 'idempotency-key' }, { maxRetries: 0 }]) {
    const sent: (string | null)[] = [];
    const noting =
      (status: number): Step =>
      (_input, init) => {
        sent.push(new Headers(init?.headers).get('x-a'));
        return respond(status);
      };
    const { inner, retrying } = scripted(config, noting(503), noting(200), noting(503), noting(200));
    for (const input of [URL_OF_TEST, new Request(URL_OF_TEST)]) {
      // @ts-expect-error -- fetch takes any iterable of pairs, which its type does not say
      await retrying(input, { headers: new Map([['x-a', '1']]).entries() });
    }
    expect(sent).toEqual(inner.calls.map(() => '1'));
  }
});

describe('the headers that a retry adds', () => {
  const names: RetryConfig = { idempotencyKeyHeader: 'idempotency-key' };
  test.each<[string, Parameters<Fetch>]>([
    ['no headers', [URL_OF_TEST]],
    ['a record', [URL_OF_TEST, { headers: { 'x-a': '1' } }]],
    ['a Headers object', [URL_OF_TEST, { headers: new Headers({ 'x-a': '1' }) }]],
    ['pairs', [URL_OF_TEST, { headers: [['x-a', '1']] }]],
    ['a request', [new Request(URL_OF_TEST, { headers: { 'x-a': '1' } })]],
    [
      'a request with other headers in the init',
      [new Request(URL_OF_TEST, { headers: { 'x-b': '1' } }), { headers: { 'x-a': '1' } }],
    ],
  ])('keep one key per call: %s', async (title, args) => {
    const { inner, retrying } = scripted(names, 503, 503, 200);
    await retrying(...args);
    const sent = inner.calls.map(headersOf);
    const keys = new Set(sent.map((headers) => headers.get('idempotency-key')));
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^[0-9a-f-]{32,36}$/);
    expect(sent.map((headers) => headers.get('x-a'))).toEqual(
      Array.from({ length: 3 }, () => (title === 'no headers' ? null : '1')),
    );
    expect(sent.map((headers) => headers.has('x-b'))).toEqual([false, false, false]);
  });

  test('are different keys for different calls', async () => {
    const { inner, retrying } = scripted(names, 200);
    await retrying(URL_OF_TEST);
    await retrying(URL_OF_TEST);
    const [one, other] = inner.calls.map((call) => headersOf(call).get('idempotency-key'));
    expect(one).not.toBe(other);
  });

  test('give way to those of the caller', async () => {
    const { inner, retrying } = scripted(names, 503, 200);
    await retrying(URL_OF_TEST, { headers: { 'Idempotency-Key': 'mine', 'X-Retry-Count': '7' } });
    expect(inner.calls.map((call) => headersOf(call).get('idempotency-key'))).toEqual(['mine', 'mine']);
    expect(inner.calls.map((call) => headersOf(call).get('x-retry-count'))).toEqual(['7', '7']);
  });

  test('do not change the headers of the caller', async () => {
    const init = Object.freeze({ headers: Object.freeze({ 'x-a': '1' }) });
    const { retrying } = scripted(names, 503, 200);
    await expect(retrying(URL_OF_TEST, init)).resolves.toMatchObject({ status: 200 });
  });

  test('keep the rest of the init and the body of a request', async () => {
    const { inner, bodies, requests } = receiving();
    const retrying = createRetryFetch({ fetch: inner, ...names, runtime: fakeRuntime() });
    await retrying(new Request(URL_OF_TEST, { method: 'PUT', body: BYTES, headers: { 'content-type': 'x/y' } }));
    expect(await bodies()).toEqual([BYTES, BYTES, BYTES, BYTES]);
    expect(requests.map(({ method, headers }) => [method, headers.get('content-type')])).toEqual(
      Array.from({ length: 4 }, () => ['PUT', 'x/y']),
    );
  });
});

describe('with', () => {
  test('changes the given options and shares the rest', async () => {
    const { inner, retrying } = scripted({ maxRetries: 5, jitter: 'none' }, 503);
    const once = retrying.with({ maxRetries: 1 });
    await once(URL_OF_TEST);
    expect(inner.calls).toHaveLength(2);
    await once.with({ maxRetries: 0 })(URL_OF_TEST);
    expect(inner.calls).toHaveLength(3);
    await retrying(URL_OF_TEST);
    expect(inner.calls).toHaveLength(9);
  });

  test('takes an option back that is undefined', async () => {
    const { inner, retrying } = scripted({ maxRetries: 1 }, 503);
    await retrying.with({ maxRetries: undefined })(URL_OF_TEST);
    expect(inner.calls).toHaveLength(4);
  });

  test('reads the global fetch at each call', async () => {
    const retrying = createRetryFetch().with({ maxRetries: 0 });
    vi.stubGlobal('fetch', async () => respond(203));
    expect((await retrying(URL_OF_TEST)).status).toBe(203);
  });
});

describe('the request in events', () => {
  test.each<[string, () => Parameters<Fetch>, string, string]>([
    ['a URL', () => [`${URL_OF_TEST}?q=1#f`], 'GET', URL_OF_TEST],
    ['a URL object', () => [new URL(`${URL_OF_TEST}?q=1`), { method: 'post' }], 'POST', URL_OF_TEST],
    ['a request', () => [new Request(`${URL_OF_TEST}?q=1`, { method: 'PUT', body: 'x' })], 'PUT', URL_OF_TEST],
    ['a request and an init', () => [new Request(URL_OF_TEST), { method: 'PATCH' }], 'PATCH', URL_OF_TEST],
    ['a relative URL', () => ['/v1/messages?q=1'], 'GET', '/v1/messages'],
  ])('has the method and the URL without query of %s', async (_title, make, method, url) => {
    for (const maxRetries of [0, 1]) {
      const { events, ...config } = observed({ maxRetries });
      await scripted(config, 503).retrying(...make());
      expect(events.map((event) => [event.method, event.url])).toEqual(
        Array.from({ length: maxRetries + 1 }, () => [method, url]),
      );
    }
  });
});
