import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { createGate, createRetryFetch, type Fetch, type RetryFetch } from '../src/index.ts';
import { fakeRuntime, observed, respond, script, thrownBy, URL_OF_TEST } from './script.ts';
import { BYTES, receiving } from './received-bodies.ts';
import { scripted } from './scripted-call.ts';
import { withSessions } from '../src/route/open-route.ts';

async function* generate(): AsyncGenerator<Uint8Array> {
  yield BYTES;
}

describe('the first attempt', () => {
  test.each<[string, Parameters<Fetch>]>([
    ['a URL', [URL_OF_TEST]],
    ['a URL and an init', [URL_OF_TEST, { method: 'POST', body: 'x' }]],
    ['a URL object', [new URL(URL_OF_TEST)]],
    ['a request', [new Request(URL_OF_TEST)]],
    ['a request with a body', [new Request(URL_OF_TEST, { method: 'POST', body: 'x' })]],
    ['a request and an init', [new Request(URL_OF_TEST), { headers: { 'x-a': '1' } }]],
  ])('gets exactly the arguments of the caller: %s', async (_title, args) => {
    const inner = vi.fn<(...given: unknown[]) => Promise<Response>>(async () => respond(200));
    await createRetryFetch({ fetch: inner })(...args);
    expect(inner).toHaveBeenCalledOnce();
    const given = inner.mock.calls[0] ?? [];
    expect(given).toHaveLength(args.length);
    for (const [index, value] of args.entries()) expect(given[index]).toBe(value);
  });

  test('may have a method that is no string, which fetch accepts', async () => {
    // @ts-expect-error -- callers in JavaScript
    expect((await createRetryFetch({ fetch: async () => respond(200) })(URL_OF_TEST, { method: 5 })).status).toBe(200);
  });

  test('returns the same response', async () => {
    const response = respond(200, {}, 'body');
    expect(await createRetryFetch({ fetch: async () => response })(URL_OF_TEST)).toBe(response);
    expect(response.bodyUsed).toBe(false);
  });

  test('uses the current global fetch by default', async () => {
    const retrying = createRetryFetch();
    for (const status of [201, 202]) {
      vi.stubGlobal('fetch', async () => respond(status));
      expect((await retrying(URL_OF_TEST)).status).toBe(status);
    }
  });

  test('may be refused by an inner fetch that throws instead of rejecting', async () => {
    const error = new Error('thrown');
    const throwing: Fetch = () => {
      throw error;
    };
    expect(await thrownBy(createRetryFetch({ fetch: throwing })(URL_OF_TEST))).toBe(error);
  });
});

describe('a body arrives byte for byte on each of four attempts', () => {
  test('headers that the caller changes', async () => {
    for (const headers of [new Headers({ 'x-a': '1' }), { 'x-a': '1' }]) {
      const { inner, requests } = receiving();
      const call = createRetryFetch({ fetch: inner, runtime: fakeRuntime() })(URL_OF_TEST, { headers });
      if (headers instanceof Headers) headers.set('x-a', '2');
      else headers['x-a'] = '2';
      await call;
      expect(requests.map((request) => request.headers.get('x-a'))).toEqual(['1', '1', '1', '1']);
    }
  });
});

describe('a body that is gone after one attempt', () => {
  const streams: readonly [string, () => unknown][] = [
    ['a ReadableStream', () => new Blob([BYTES]).stream()],
    ['a stream of Node', () => Readable.from([BYTES])],
    ['an async generator', generate],
  ];

  test.each(streams)('is never sent again, and the response comes back: %s', async (_title, make) => {
    const { events, ...config } = observed();
    const { inner, retrying } = scripted(config, respond(503, {}, 'busy'), 200);
    const init = { method: 'POST', body: make(), duplex: 'half' };
    // @ts-expect-error -- Node takes them
    const response = await retrying(URL_OF_TEST, init);
    expect([response.status, await response.text()]).toEqual([503, 'busy']);
    expect(inner.calls).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'failed', because: 'body-not-replayable', attempts: 1 }]);
  });

  test('is never sent again after a network error either, and the error comes back', async () => {
    const error = new TypeError('fetch failed');
    const { inner, retrying } = scripted({}, error, 200);
    expect(await thrownBy(retrying(URL_OF_TEST, { method: 'POST', body: new ReadableStream() }))).toBe(error);
    expect(inner.calls).toHaveLength(1);
  });

  test('does not matter if nothing fails', async () => {
    const body = new ReadableStream();
    const { inner, retrying } = scripted({}, 200);
    await retrying(URL_OF_TEST, { method: 'POST', body });
    expect(inner.calls[0]?.init?.body).toBe(body);
  });
});

describe('without retries', () => {
  test('nothing is copied', async () => {
    const clone = vi.spyOn(Request.prototype, 'clone');
    const { inner, retrying } = scripted({ maxRetries: 0 }, 503);
    const body = BYTES.slice();
    const slice = vi.spyOn(body.buffer, 'slice');
    await retrying(new Request(URL_OF_TEST, { method: 'POST', body: 'x' }));
    await retrying(URL_OF_TEST, { method: 'POST', body });
    expect(clone).not.toHaveBeenCalled();
    expect(slice).not.toHaveBeenCalled();
    expect(inner.calls[1]?.init?.body).toBe(body);
  });

  test('a failed response is not read, unless there is a listener', async () => {
    const failed = respond(503, {}, 'down');
    const clone = vi.spyOn(failed, 'clone');
    const inner = async (): Promise<Response> => failed;
    expect(await createRetryFetch({ fetch: inner, maxRetries: 0 })(URL_OF_TEST)).toBe(failed);
    expect(clone).not.toHaveBeenCalled();
    await createRetryFetch({ fetch: inner, maxRetries: 0, onEvent: () => {} })(URL_OF_TEST);
    expect(clone).toHaveBeenCalledOnce();
  });

  test('headers of the caller are not read', async () => {
    const ownKeys = vi.fn<(target: object) => (string | symbol)[]>(() => []);
    const { retrying } = scripted({ maxRetries: 0 }, 200);
    await retrying(URL_OF_TEST, { headers: new Proxy<Record<string, string>>({}, { ownKeys }) });
    expect(ownKeys).not.toHaveBeenCalled();
  });
});

describe('`retryOnly`', () => {
  const PAYMENT = 'https://api.stripe.com/v1/payment_intents';
  const CHAT = 'https://api.openai.com/v1/chat/completions';
  const reset = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });

  test("'model-requests' retries a model request, and sends any other once", async () => {
    const { inner, retrying } = scripted({ retryOnly: 'model-requests' }, reset, reset, 200);
    expect(await thrownBy(retrying(PAYMENT, { method: 'POST', body: 'amount=100' }))).toBe(reset);
    expect(inner.calls).toHaveLength(1);
    expect((await retrying(CHAT, { method: 'post', body: '{"model":"m"}' })).status).toBe(200);
    expect(inner.calls).toHaveLength(3);
  });

  test('leaves a request that it does not choose to the inner fetch: nothing is heard, held, copied or paced', async () => {
    const { events, ...config } = observed();
    const openRoute = vi.fn();
    const gate = withSessions({ keyOf: () => '', waiting: 0, readings: () => [] }, openRoute);
    const clone = vi.spyOn(Request.prototype, 'clone');
    const failedStream = respond(200, { 'content-type': 'text/event-stream' }, 'event: error\ndata: {}\n\n');
    const cloneOfResponse = vi.spyOn(failedStream, 'clone');
    const inner = vi.fn<Fetch>(async () => failedStream);
    const retrying = createRetryFetch({
      fetch: inner,
      ...config,
      gate,
      retryOnly: () => false,
      idempotencyKeyHeader: 'x-key',
    });
    const args: Parameters<Fetch> = [new Request(PAYMENT, { method: 'POST', body: 'x' }), { headers: [['a', '1']] }];
    expect(await retrying(...args)).toBe(failedStream);
    expect(inner.mock.calls[0]?.[0]).toBe(args[0]);
    expect(inner.mock.calls[0]?.[1]).toBe(args[1]);
    for (const spy of [clone, cloneOfResponse, openRoute]) expect(spy).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  test('as a function gets the method and the URL, and its choice counts', async () => {
    const seen: unknown[] = [];
    const retryOnly = (request: { readonly method: string; readonly url: string }): boolean => {
      seen.push(request);
      return request.url.includes('/v1/');
    };
    const { inner, retrying } = scripted({ retryOnly }, 503, 503, 200);
    expect((await retrying(new URL('https://api.example/pay?to=1'), { method: 'put' })).status).toBe(503);
    expect((await retrying(new Request('https://api.example/v1/'))).status).toBe(200);
    expect(inner.calls).toHaveLength(3);
    expect(seen).toEqual([
      { method: 'PUT', url: 'https://api.example/pay?to=1' },
      { method: 'GET', url: 'https://api.example/v1/' },
    ]);
  });

  test('as a function that throws makes the call reject, and nothing is sent', async () => {
    const error = new Error('in the options');
    const retryOnly = (): never => {
      throw error;
    };
    const { inner, retrying } = scripted({ retryOnly }, 200);
    expect(await thrownBy(retrying(CHAT))).toBe(error);
    expect(inner.calls).toEqual([]);
  });

  test('leaves arguments that cannot be read to the inner fetch', async () => {
    const refused = new TypeError('refused by fetch');
    const url = {
      toString: () => {
        throw new Error('no text');
      },
    };
    const retrying = createRetryFetch({ fetch: () => Promise.reject(refused), retryOnly: () => true });
    // @ts-expect-error -- callers in JavaScript
    expect(await thrownBy(retrying(url))).toBe(refused);
  });

  test('holds for the global fetch, and for a copy with other options', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, reset);
    vi.stubGlobal('fetch', inner);
    vi.stubGlobal('fetch', createRetryFetch({ runtime, retryOnly: 'model-requests' }).with({ maxRetries: 1 }));
    await thrownBy(fetch(PAYMENT, { method: 'POST', body: 'amount=100' }));
    expect(inner.calls).toHaveLength(1);
    await thrownBy(fetch(CHAT, { method: 'POST', body: '{}' }));
    expect(inner.calls).toHaveLength(3);
  });
});

describe('over the global fetch', () => {
  test.each<[string, (retrying: Fetch) => Fetch]>([
    ['at once', (retrying) => (input, init) => retrying(input, init)],
    [
      'after something else',
      (retrying) => async (input, init) => {
        await Promise.resolve();
        return retrying(input, init);
      },
    ],
  ])('another library may wrap it as the global fetch and call it %s: retries are not doubled', async (_when, wrap) => {
    const runtime = fakeRuntime();
    const inner = script(runtime, 503);
    vi.stubGlobal('fetch', inner);
    const retrying = createRetryFetch({ runtime, maxRetries: 2 });
    vi.stubGlobal('fetch', wrap(retrying));
    for (const requests of [3, 6]) {
      expect((await fetch(URL_OF_TEST)).status).toBe(503);
      expect(inner.calls).toHaveLength(requests);
    }
  });

  test('without AsyncLocalStorage, as in browsers, a library that calls it at once is recognised', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    const runtime = fakeRuntime();
    const inner = script(runtime, 503);
    vi.stubGlobal('fetch', inner);
    const retrying = createRetryFetch({ runtime, maxRetries: 2 });
    vi.stubGlobal('fetch', (...args: Parameters<Fetch>) => retrying(...args));
    expect([(await fetch(URL_OF_TEST)).status, inner.calls.length]).toEqual([503, 3]);
  });

  test('can be wrapped before it exists', async () => {
    vi.stubGlobal('fetch', undefined);
    const retrying = createRetryFetch({ maxRetries: 0 });
    expect([retrying.name, retrying.length]).toEqual(['fetch', 1]);
    vi.stubGlobal('fetch', async () => respond(204));
    expect((await retrying(URL_OF_TEST)).status).toBe(204);
  });
});

describe('arguments that cannot be copied', () => {
  const refused = new TypeError('refused by fetch');
  const url = {
    toString: () => {
      throw new Error('no text');
    },
  };

  test.each([[[url]], [[url, { method: 'POST' }]]])('are handed to the inner fetch as they are: %#', async (args) => {
    const inner = vi.fn<(...given: unknown[]) => Promise<Response>>(() => Promise.reject(refused));
    // @ts-expect-error -- callers in JavaScript
    expect(await thrownBy(createRetryFetch({ fetch: inner, runtime: fakeRuntime() })(...args))).toBe(refused);
    expect(inner.mock.calls).toEqual([args]);
    expect(inner.mock.calls[0]?.[0]).toBe(url);
  });
});

test('a call that is already aborted is still refused for its arguments, by the inner fetch', async () => {
  const refused = new TypeError('Invalid URL');
  const inner = vi.fn<Fetch>(() => Promise.reject(refused));
  const signal = AbortSignal.abort('enough');
  expect(await thrownBy(createRetryFetch({ fetch: inner })('no url', { signal }))).toBe(refused);
  expect(inner).toHaveBeenCalledOnce();
});

test.each([['fetch'], [null], [7]])('an invalid inner fetch is refused: %j', (fetch) => {
  // @ts-expect-error -- callers in JavaScript
  expect(() => createRetryFetch({ fetch })).toThrow(
    'Expected `fetch` to be a function with the shape of the global fetch',
  );
});

describe('a repeat of a GET or HEAD reaches the server', () => {
  /** Answers a request as before, unless the call says otherwise: a cache by `cache`, React by a signal. */
  function remembering(inner: Fetch, isRepeat: (init: RequestInit | undefined) => boolean): Fetch {
    let first: Promise<Response> | undefined;
    return async (input, init) => {
      if (isRepeat(init)) return inner(input, init);
      first ??= inner(input, init);
      return (await first).clone();
    };
  }

  test.each<[string, (init: RequestInit | undefined) => boolean]>([
    ['a cache', (init) => init?.cache === 'no-store'],
    ['a fetch that remembers what has no signal', (init) => Boolean(init?.signal)],
  ])('over %s', async (_title, isRepeat) => {
    const runtime = fakeRuntime();
    const server = script(runtime, 503, 503, 200);
    const call = createRetryFetch({ fetch: remembering(server, isRepeat), runtime });
    expect((await call(URL_OF_TEST)).status).toBe(200);
    expect(server.calls).toHaveLength(3);
    // The first attempt is sent as it was given.
    expect(server.calls[0]?.init).toBeUndefined();
  });

  test.each<[string, RequestInit, RequestInit]>([
    ['the caller has chosen the cache', { cache: 'force-cache' }, { cache: 'force-cache' }],
    ['it is a POST', { method: 'POST', body: 'x' }, { method: 'POST', body: 'x' }],
  ])('with the same init if %s', async (_title, init, repeated) => {
    const { inner, retrying } = scripted({}, 503, 200);
    await retrying(URL_OF_TEST, init);
    expect(inner.calls[1]?.init).toEqual(repeated);
  });

  test('with the signal of the caller', async () => {
    const { signal } = new AbortController();
    const { inner, retrying } = scripted({}, 503, 200);
    await retrying(URL_OF_TEST, { signal });
    await retrying(new Request(URL_OF_TEST, { signal }));
    expect(inner.calls[1]?.init).toEqual({ signal, cache: 'no-store' });
  });

  test('where a class makes the init, with its own members', async () => {
    class Init {
      get method(): string {
        return 'HEAD';
      }
    }
    const { inner, retrying } = scripted({}, 503, 200);
    await retrying(URL_OF_TEST, new Init());
    const init = inner.calls[1]?.init;
    expect([init instanceof Init, init?.method, init?.cache]).toEqual([true, 'HEAD', 'no-store']);
    expect(init?.signal).toBeInstanceOf(AbortSignal);
  });
});

describe('a body that is never sent', () => {
  function streamed(): { readonly body: ReadableStream; readonly cancelled: unknown[] } {
    const cancelled: unknown[] = [];
    return { body: new ReadableStream({ cancel: (reason) => void cancelled.push(reason) }), cancelled };
  }

  const sending = (body: BodyInit): RequestInit & { duplex: 'half' } => ({ method: 'POST', body, duplex: 'half' });

  /** A call whose answer is not read, so that a second call waits. */
  async function busy(config: Parameters<typeof createGate>[0]): Promise<RetryFetch> {
    const call = createRetryFetch({ fetch: async () => new Response(new ReadableStream()), gate: createGate(config) });
    await call(URL_OF_TEST);
    return call;
  }

  test('of a call that is aborted in a line is cancelled with the reason', async () => {
    const call = await busy({ limits: { concurrent: 1 } });
    const { body, cancelled } = streamed();
    const ending = new AbortController();
    const waiting = thrownBy(call(URL_OF_TEST, { ...sending(body), signal: ending.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    ending.abort('enough');
    expect([await waiting, cancelled]).toEqual(['enough', ['enough']]);
  });

  test('of a request is cancelled too', async () => {
    const call = await busy({ limits: { concurrent: 1 } });
    const { body, cancelled } = streamed();
    const ending = new AbortController();
    const waiting = thrownBy(call(new Request(URL_OF_TEST, sending(body)), { signal: ending.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    ending.abort('enough');
    expect(await waiting).toBe('enough');
    await new Promise((resolve) => setImmediate(resolve));
    expect(cancelled).toHaveLength(1);
  });

  test('of a call that a full line refuses is cancelled with the refusal', async () => {
    const call = await busy({ limits: { concurrent: 1 }, maxWaiting: 0 });
    const { body, cancelled } = streamed();
    const refusal = await thrownBy(call(URL_OF_TEST, sending(body)));
    expect(refusal).toMatchObject({ name: 'GateRefusedError' });
    expect(cancelled).toEqual([refusal]);
  });

  test('of a call that was sent is left to the inner fetch', async () => {
    const { retrying } = scripted({}, 503);
    const { body, cancelled } = streamed();
    await retrying(URL_OF_TEST, sending(body));
    expect(cancelled).toEqual([]);
  });
});
