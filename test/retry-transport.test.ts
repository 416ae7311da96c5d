import { describe, expect, test, vi } from 'vitest';
import {
  FetchTransport,
  type HttpTransport,
  type RetryConfig,
  RetryController,
  RetryTransport,
  outcomeOf,
} from '../src/index.ts';
import {
  fakeRuntime,
  heldRuntime,
  observed,
  respond,
  script,
  scriptTransport,
  type Step,
  URL_OF_TEST,
} from './script.ts';

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

describe('post', () => {
  test('passes exactly (url, body, headers, undefined) and returns the same object', async () => {
    const response = respond(200);
    const { inner, retrying } = transport(quick, response);
    const [body, headers] = [{ a: 1 }, { 'x-a': '1' }];
    expect(await retrying.post(URL_OF_TEST, body, headers)).toBe(response);
    expect(inner.calls).toEqual([[URL_OF_TEST, body, headers, undefined]]);
    expect(inner.calls[0]).toHaveLength(4);
    expect(inner.calls[0]?.[1]).toBe(body);
    expect(inner.calls[0]?.[2]).toBe(headers);
  });

  /** As the tests of callers have it. */
  const mocked = (...answers: readonly unknown[]) => {
    const post = vi.fn<() => Promise<unknown>>();
    for (const answer of answers) post.mockResolvedValueOnce(answer);
    const inner: unknown = { get: vi.fn<() => void>(), post };
    return inner as HttpTransport;
  };

  test('retries the answers of a mock with body: null, no cancel and no headers', async () => {
    const answers = [
      { ok: false, status: 503, body: null },
      { ok: true, status: 200, body: null },
    ];
    const retrying = new RetryTransport(mocked(...answers), { ...quick, runtime: fakeRuntime() });
    expect(await retrying.post(URL_OF_TEST, {})).toBe(answers[1]);
  });

  test('reads the Retry-After of headers from another realm', async () => {
    const runtime = fakeRuntime();
    const headers = { get: (name: string) => (name.toLowerCase() === 'retry-after' ? '7' : null) };
    const inner = mocked({ ok: false, status: 429, headers, text: async () => '' }, respond(200));
    await new RetryTransport(inner, { ...quick, runtime }).post(URL_OF_TEST, {});
    expect(runtime.slept).toEqual([7_000]);
  });

  test('passes the same body on each time and never serialises it', async () => {
    const body = { toJSON: vi.fn<() => never>() };
    const { inner, retrying } = transport(quick, 503, 503, 200);
    await retrying.post(URL_OF_TEST, body);
    expect(inner.calls.map((args) => args[1] === body)).toEqual([true, true, true]);
    expect(body.toJSON).not.toHaveBeenCalled();
  });

  test('passes on data again whose members are named like those of a stream', async () => {
    const { inner, retrying } = transport(quick, 503, 200);
    await retrying.post(URL_OF_TEST, { next: 'cursor', pipe: 'a|b' });
    expect(inner.calls).toHaveLength(2);
  });

  test('passes a stream on once and returns its response', async () => {
    const { events, ...config } = observed(quick);
    const { inner, retrying } = transport(config, respond(503, {}, 'busy'), 200);
    const response = await retrying.post(URL_OF_TEST, new ReadableStream());
    expect([response.status, await response.text(), inner.calls.length]).toEqual([503, 'busy', 1]);
    expect(events).toMatchObject([{ type: 'failed', because: 'body-not-replayable' }]);
  });

  test.each([
    ['a Headers object', new Headers({ 'x-a': '1' })],
    ['pairs', [['x-a', '1']]],
  ])('retries with all headers if they are %s', async (_shape, headers) => {
    const { inner, retrying } = transport({ ...quick, idempotencyKeyHeader: 'x-key' }, 503, 200);
    // @ts-expect-error -- callers in JavaScript
    await retrying.post(URL_OF_TEST, {}, headers);
    const sent = inner.calls.map((args) => new Headers(args[2] as HeadersInit));
    expect(sent.map((one) => one.get('x-a'))).toEqual(['1', '1']);
    expect(new Set(sent.map((one) => one.get('x-key'))).size).toBe(1);
  });

  test('retries with the headers of the call, even if they were changed', async () => {
    const headers: Record<string, string> = { 'x-a': '1' };
    const { inner, retrying } = transport(quick, 503, 200);
    const call = retrying.post(URL_OF_TEST, {}, headers);
    headers['x-a'] = '2';
    await call;
    expect(inner.calls[1]?.[2]).toEqual({ 'x-a': '1' });
  });
});

describe('get', () => {
  test('passes exactly (url, headers, signal) and returns the same object', async () => {
    const response = respond(200);
    const { inner, retrying } = transport(quick, response);
    const headers = { 'x-a': '1' };
    const { signal } = new AbortController();
    expect(await retrying.get(URL_OF_TEST, headers, signal)).toBe(response);
    expect(inner.calls).toEqual([[URL_OF_TEST, headers, signal]]);
    expect(inner.calls[0]?.[1]).toBe(headers);
    expect(inner.calls[0]?.[2]).toBe(signal);
  });

  test('retries results that are not a Response', async () => {
    const { inner } = minimal(503, 429, 200);
    const response = await new RetryTransport(inner, { ...quick, runtime: fakeRuntime() }).get(URL_OF_TEST);
    expect(response.status).toBe(200);
  });

  test('reads a failed one once and returns it with text() and json() that repeat it', async () => {
    const { inner, texts } = minimal(503);
    const response = await new RetryTransport(inner, {
      ...quick,
      maxRetries: 0,
      onEvent: () => {},
      runtime: fakeRuntime(),
    }).get(URL_OF_TEST);
    expect(texts.count).toBe(1);
    await expect(response.text()).resolves.toBe('{"status":503}');
    await expect(response.json()).resolves.toEqual({ status: 503 });
    expect(texts.count).toBe(1);
    expect(outcomeOf(response)?.history ?? []).toHaveLength(1);
  });

  test('does not change a success', async () => {
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
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
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
  test('changes the given options for the copy and keeps the rest', async () => {
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

  test('keeps its options even if their object is changed', async () => {
    const config = { ...quick, maxRetries: 1, runtime: fakeRuntime() };
    const inner = scriptTransport(503);
    const retrying = new RetryTransport(inner, config);
    config.maxRetries = 9;
    await retrying.with({ onRetry: () => {} }).post(URL_OF_TEST, {});
    expect(inner.calls).toHaveLength(2);
  });

  test('refuses invalid options', () => {
    const { retrying } = transport(quick, 200);
    expect(() => retrying.with({ maxRetries: -1 })).toThrow('`maxRetries`');
  });

  test('gives each conversation its own controller', async () => {
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

  test('does not retry an invalid URL', async () => {
    const runtime = fakeRuntime();
    const retrying = new RetryTransport(new FetchTransport(), { runtime });
    await expect(retrying.get('/v1/messages')).rejects.toThrow('Expected `url` to be an absolute URL');
    expect(runtime.slept).toEqual([]);
  });

  test('accepts a URL object from callers in JavaScript', async () => {
    const { events, ...config } = observed(quick);
    const { retrying } = transport(config, 503, 200);
    // @ts-expect-error -- callers in JavaScript
    await retrying.post(new URL(`${URL_OF_TEST}?key=secret`), {});
    expect(events.map(({ url }) => url)).toEqual([URL_OF_TEST, URL_OF_TEST]);
  });

  test.each([[undefined], [null], [{}], [{ get: () => {} }]])('that is invalid is refused: %j', (inner) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => new RetryTransport(inner)).toThrow(
      'Expected `inner` to be a transport with get() and post(); wrap a fetch with new FetchTransport({ fetch }).',
    );
  });

  test('refuses an invalid signal, on each attempt', async () => {
    const inner = scriptTransport(503, 200);
    const signal: unknown = {};
    // @ts-expect-error -- callers in JavaScript
    await new RetryTransport(inner, { ...quick, runtime: fakeRuntime() }).get(URL_OF_TEST, {}, signal);
    expect(inner.calls.map((args) => args[2])).toEqual([signal, signal]);
  });

  test('is called as a method, so that instances of a class work', async () => {
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

describe('`retryOnly`', () => {
  const CHAT = 'https://api.openai.com/v1/chat/completions';

  test("'model-requests' retries a model request, and sends any other once with the arguments of the caller", async () => {
    const { inner, retrying } = transport({ retryOnly: 'model-requests' }, 503, 503, 200);
    const [body, headers, signal] = [{ amount: 100 }, { 'x-a': '1' }, new AbortController().signal];
    expect((await retrying.post('https://api.stripe.com/v1/charges', body, headers, signal)).status).toBe(503);
    expect(inner.calls[0]?.[1]).toBe(body);
    expect(inner.calls[0]?.[2]).toBe(headers);
    expect(inner.calls[0]?.[3]).toBe(signal);
    expect((await retrying.post(CHAT, { model: 'm' })).status).toBe(200);
    expect(inner.calls).toHaveLength(3);
    expect((await retrying.get('https://api.openai.com/v1/models')).status).toBe(200);
  });

  test('as a function that throws makes the call reject', async () => {
    const error = new Error('in the options');
    const retryOnly = (): never => {
      throw error;
    };
    expect(
      await transport({ retryOnly }, 200)
        .retrying.get(CHAT)
        .catch((thrown: unknown) => thrown),
    ).toBe(error);
  });
});
