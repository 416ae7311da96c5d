import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { FetchTransport } from '../src/fetch-transport.ts';
import type { HttpTransport } from '../src/transport.ts';
import { fakeRuntime, respond, script, type ScriptedFetch, thrownBy, URL_OF_TEST } from './script.ts';

const errorWith = (code: string): Error => Object.assign(new Error(`read ${code}`), { code });

const ok = (): ScriptedFetch => script(fakeRuntime(), 200);

/** The init of the only request. */
function initOf({ calls }: ScriptedFetch): RequestInit {
  expect(calls).toHaveLength(1);
  return calls[0]?.init ?? {};
}

describe('a transport over fetch', () => {
  test('returns the same response object, with any status', async () => {
    const response = respond(429);
    const transport: HttpTransport = new FetchTransport({ fetch: async () => response });
    expect(await transport.get(URL_OF_TEST)).toBe(response);
    expect(await transport.post(URL_OF_TEST, {})).toBe(response);
  });

  test('rejects with the same error object', async () => {
    const error = new Error('mine');
    const transport = new FetchTransport({ fetch: script(fakeRuntime(), error) });
    expect(await thrownBy(transport.get(URL_OF_TEST))).toBe(error);
    expect(await thrownBy(transport.post(URL_OF_TEST, {}))).toBe(error);
  });

  test('reads the global fetch at each call', async () => {
    const transport = new FetchTransport();
    for (const status of [201, 202]) {
      vi.stubGlobal('fetch', script(fakeRuntime(), status));
      expect((await transport.get(URL_OF_TEST)).status).toBe(status);
    }
  });

  test('calls a global fetch that needs its owner as `this`', async () => {
    vi.stubGlobal('fetch', function fetch(this: unknown) {
      return this === undefined || this === globalThis ? respond(200) : respond(500);
    });
    expect((await new FetchTransport().get(URL_OF_TEST)).status).toBe(200);
  });

  test('passes the signal, and none if there is none', async () => {
    const { signal } = new AbortController();
    const fetch = ok();
    await new FetchTransport({ fetch }).get(URL_OF_TEST, {}, signal);
    expect(initOf(fetch).signal).toBe(signal);
    const without = ok();
    await new FetchTransport({ fetch: without }).get(URL_OF_TEST);
    expect(initOf(without)).toEqual({ method: 'GET', headers: {} });
  });
});

describe('a body', () => {
  test.each<[string, unknown, string]>([
    ['an object', { model: 'x' }, '{"model":"x"}'],
    ['a list', [1], '[1]'],
    ['a number', 5, '5'],
    ['false', false, 'false'],
    ['an object with members that sound like those of a stream', { getReader: 1 }, '{"getReader":1}'],
    ['an object that says how', { toJSON: () => 'said' }, '"said"'],
  ])('that is %s is sent as JSON', async (_title, body, expected) => {
    const fetch = ok();
    await new FetchTransport({ fetch }).post(URL_OF_TEST, body);
    expect(initOf(fetch)).toEqual({ method: 'POST', body: expected, headers: { 'content-type': 'application/json' } });
  });

  test.each<[string, unknown]>([
    ['a string', '{"already":"json"}'],
    ['an empty string', ''],
    ['bytes', new Uint8Array([1, 2])],
    ['a buffer', new ArrayBuffer(2)],
    ['a DataView', new DataView(new ArrayBuffer(2))],
    ['a Blob', new Blob(['x'])],
    ['a File', new File(['x'], 'name')],
    ['a form', new FormData()],
    ['parameters', new URLSearchParams('a=1')],
    ['null', null],
  ])('that is %s is sent unchanged, without a content type of ours', async (_title, body) => {
    const fetch = ok();
    await new FetchTransport({ fetch }).post(URL_OF_TEST, body);
    expect(initOf(fetch)).toEqual({ method: 'POST', body, headers: {} });
    expect(initOf(fetch).body).toBe(body);
  });

  test.each<[string, () => unknown]>([
    ['a ReadableStream', () => new ReadableStream()],
    ['a stream of Node', () => Readable.from(['x'])],
  ])('that is %s is sent unchanged, half duplex', async (_title, make) => {
    const fetch = ok();
    const body = make();
    await new FetchTransport({ fetch }).post(URL_OF_TEST, body);
    expect(initOf(fetch)).toMatchObject({ duplex: 'half' });
    expect(initOf(fetch).body).toBe(body);
  });

  test('that is undefined is not sent', async () => {
    const fetch = ok();
    await new FetchTransport({ fetch }).post(URL_OF_TEST, undefined);
    expect(initOf(fetch)).toEqual({ method: 'POST', headers: {} });
  });

  test('that cannot be JSON rejects, without a request', async () => {
    const fetch = ok();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const call = new FetchTransport({ fetch }).post(URL_OF_TEST, circular);
    expect(await thrownBy(call)).toBeInstanceOf(TypeError);
    expect(fetch.calls).toEqual([]);
  });
});

describe('headers', () => {
  test('of the transport go with each request; those of the request override them, in any spelling', async () => {
    const fetch = ok();
    const transport = new FetchTransport({ fetch, headers: { 'X-A': 'transport', 'x-b': 'transport' } });
    await transport.get(URL_OF_TEST, { 'x-a': 'request' });
    expect(initOf(fetch).headers).toEqual({ 'x-a': 'request', 'x-b': 'transport' });
  });

  test.each([
    ['the request', {}, { 'Content-Type': 'application/vnd.mine+json' }],
    ['the transport', { 'Content-Type': 'application/vnd.mine+json' }, {}],
  ])('that name a content type for JSON override ours: of %s', async (_title, own, request) => {
    const fetch = ok();
    await new FetchTransport({ fetch, headers: own }).post(URL_OF_TEST, {}, request);
    expect(initOf(fetch).headers).toEqual({ 'content-type': 'application/vnd.mine+json' });
  });

  test('of the caller are not changed, and changing them later has no effect', async () => {
    const own = { 'x-a': '1' };
    const fetch = ok();
    const transport = new FetchTransport({ fetch, headers: own });
    Object.assign(own, { 'x-a': '2' });
    const headers = Object.freeze({ 'X-B': '1' });
    await transport.post(URL_OF_TEST, {}, headers);
    expect(initOf(fetch).headers).toMatchObject({ 'x-a': '1', 'x-b': '1' });
  });
});

describe('a redirect', () => {
  const other = 'https://other.example/v1/messages';
  const to = (location: string, status = 307): Response => respond(status, { location });
  const withKey = { 'x-api-key': 'secret' };

  test.each([
    ...['x-api-key', 'api-key', 'x-goog-api-key', 'X-API-Key', 'ocp-apim-subscription-key', 'x-amz-security-token'],
    ...['x-portkey-api-key', 'x-litellm-api-key', 'helicone-auth', 'private-token', 'cf-aig-authorization'],
    ...['x-functions-key', 'apikey', 'x-auth-token', 'x-access-token', 'x-session-id', 'x-client-secret'],
    ...['cf-access-jwt-assertion', 'x-goog-iap-jwt-assertion', 'dpop', 'x-jwt', 'x-otp'],
  ])('to another origin is refused for a request with %s', async (name) => {
    const fetch = script(fakeRuntime(), to(other), 200);
    const error = await thrownBy(new FetchTransport({ fetch }).post(URL_OF_TEST, {}, { [name]: 'secret' }));
    expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
    expect(String(Reflect.get(Object(error), 'cause'))).toContain('redirect to https://other.example refused');
    expect(fetch.calls).toHaveLength(1);
  });

  test('to another origin is refused for a transport whose own headers carry the key', async () => {
    const fetch = script(fakeRuntime(), to(other), 200);
    await expect(new FetchTransport({ fetch, headers: withKey }).get(URL_OF_TEST)).rejects.toThrow('fetch failed');
    expect(fetch.calls).toHaveLength(1);
  });

  test('to another origin is refused also if the prototype of the options says otherwise, which parsed JSON can set', async () => {
    const fetch = script(fakeRuntime(), to(other), 200);
    const options = Object.assign({ fetch, headers: withKey }, JSON.parse('{"__proto__":{"redirect":"follow"}}'));
    await expect(new FetchTransport(options).get(URL_OF_TEST)).rejects.toThrow('fetch failed');
    expect(fetch.calls.map(({ init }) => init?.redirect)).toEqual(['manual']);
  });

  test('within the origin is followed with the key, as fetch would', async () => {
    const last = respond(200);
    const fetch = script(fakeRuntime(), to('/v2/messages'), to('./messages?x=1', 308), () => last);
    const response = await new FetchTransport({ fetch }).post(URL_OF_TEST, { a: 1 }, withKey);
    expect(response).toBe(last);
    expect(response.redirected).toBe(true);
    expect(fetch.calls.map(({ input }) => input)).toEqual([
      URL_OF_TEST,
      'https://api.example.com/v2/messages',
      'https://api.example.com/v2/messages?x=1',
    ]);
    for (const { init } of fetch.calls)
      expect(init).toMatchObject({ method: 'POST', body: '{"a":1}', headers: withKey, redirect: 'manual' });
  });

  test.each([301, 302, 303])('of a POST with %i becomes a GET without a body', async (status) => {
    const fetch = script(fakeRuntime(), to('/v2', status), 200);
    await new FetchTransport({ fetch }).post(URL_OF_TEST, { a: 1 }, withKey);
    const init = fetch.calls[1]?.init;
    expect([init?.method, init?.body, [...new Headers(init?.headers)]]).toEqual([
      'GET',
      undefined,
      Object.entries(withKey),
    ]);
  });

  test('that goes in a circle, has no URL, or would need a stream again is refused', async () => {
    const circle = script(fakeRuntime(), to('/v1/messages'));
    await expect(new FetchTransport({ fetch: circle }).get(URL_OF_TEST, withKey)).rejects.toThrow('fetch failed');
    expect(circle.calls).toHaveLength(21);
    const none = script(fakeRuntime(), to('http://'));
    await expect(new FetchTransport({ fetch: none }).get(URL_OF_TEST, withKey)).rejects.toThrow('fetch failed');
    const stream = script(fakeRuntime(), to('/v2'));
    const body = new ReadableStream();
    await expect(new FetchTransport({ fetch: stream }).post(URL_OF_TEST, body, withKey)).rejects.toThrow(
      'fetch failed',
    );
    expect(stream.calls).toHaveLength(1);
  });

  test('whose target is hidden, as in a browser, is refused', async () => {
    const opaque = Object.defineProperty(respond(200), 'type', { value: 'opaqueredirect' });
    const transport = new FetchTransport({ fetch: async () => opaque });
    await expect(transport.get(URL_OF_TEST, withKey)).rejects.toThrow('fetch failed');
  });

  test('without a location is returned as the response', async () => {
    const answer = respond(304);
    expect(await new FetchTransport({ fetch: async () => answer }).get(URL_OF_TEST, withKey)).toBe(answer);
  });

  test.each(['authorization', 'cookie', 'Idempotency-Key', 'accept'])(
    'is left to fetch with %s, which fetch keeps back itself or which is no credential',
    async (name) => {
      const fetch = ok();
      await new FetchTransport({ fetch }).get(URL_OF_TEST, { [name]: 'x' });
      expect(initOf(fetch)).not.toHaveProperty('redirect');
    },
  );

  test.each(['follow', 'manual', 'error'] as const)('is what the option says: %s', async (redirect) => {
    const fetch = ok();
    await new FetchTransport({ fetch, redirect }).get(URL_OF_TEST, { 'x-api-key': 'secret' });
    expect(initOf(fetch).redirect).toBe(redirect);
  });
});

describe('misuse is refused with a message that says how to fix it', () => {
  test.each(['/v1/messages', 'api.example.com', '', 'https://'])('a URL that is none: %j', async (url) => {
    const error = await thrownBy(new FetchTransport().get(url));
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      message: `Expected \`url\` to be an absolute URL such as "https://api.example.com/v1/messages", got ${JSON.stringify(url)}.`,
    });
  });

  test('an invalid URL is shown without its secrets', async () => {
    const error = await thrownBy(new FetchTransport().get('https://user:PASS/WORD@host/x?key=s3cr3t-key'));
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error)).toContain('got "https://host/x"');
    expect(inspect(error)).not.toMatch(/PASS|WORD|s3cr3t/);
  });

  test('a missing URL', async () => {
    // @ts-expect-error -- callers in JavaScript
    await expect(new FetchTransport().get(undefined)).rejects.toThrow('Expected `url` to be an absolute URL');
  });

  test('a relative URL is left to the page if there is one', async () => {
    vi.stubGlobal('location', { href: 'https://app.example/page' });
    const error = new Error('network');
    const transport = new FetchTransport({ fetch: script(fakeRuntime(), error) });
    expect(await thrownBy(transport.get('/v1/messages'))).toBe(error);
  });

  test.each([
    ["Deno's and workerd's", new TypeError("Invalid URL: '/v1'")],
    ["Bun's", Object.assign(new TypeError('fetch() URL is invalid'), { code: 'ERR_INVALID_URL' })],
    ["Firefox's", new TypeError('Window.fetch: /v1 is not a valid URL.')],
    ["Safari's", new TypeError('URL is not valid or contains user credentials.')],
    ["node-fetch's", new TypeError('Only absolute URLs are supported')],
  ])('a URL that is none, in words that are %s', async (_whose, error) => {
    const transport = new FetchTransport({ fetch: script(fakeRuntime(), error) });
    await expect(transport.get('/v1')).rejects.toThrow('Expected `url` to be an absolute URL');
  });

  test.each([
    ['a broken connection', new TypeError('fetch failed', { cause: errorWith('ECONNRESET') })],
    [
      'a broken connection that names the URL',
      new TypeError('No answer from the URL /v1', { cause: errorWith('ECONNRESET') }),
    ],
    ['an abort', new DOMException('Enough.', 'AbortError')],
    ['an error that is none of fetch', new Error('no such URL')],
  ])('%s of a fetch that resolves relative URLs itself passes as it is', async (_what, error) => {
    const transport = new FetchTransport({ fetch: script(fakeRuntime(), error) });
    expect(await thrownBy(transport.get('/v1/messages', { 'x-api-key': 'k' }))).toBe(error);
    expect(await thrownBy(transport.post('/v1/messages', {}))).toBe(error);
  });

  test.each([
    [{ header: {} }, 'Unknown option `header`. Did you mean `headers`?'],
    [{ redirect: 'folow' }, "Expected `redirect` to be one of 'follow', 'manual', 'error', got \"folow\"."],
    [{ headers: 'x-api-key: k' }, "Expected `headers` to be an object such as { 'x-api-key': key }, got string."],
    [{ headers: null }, "Expected `headers` to be an object such as { 'x-api-key': key }, got null."],
    [null, 'Expected `options` to be an object such as { fetch }, got null.'],
  ])('options that are wrong or misspelt: %j', (options, message) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => new FetchTransport(options)).toThrow(new TypeError(message));
  });

  test.each([[null], ['fetch'], [{}]])('a fetch that is none: %j', (fetch) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => new FetchTransport({ fetch })).toThrow(
      /^Expected `fetch` to be a function with the shape of the global fetch, got /,
    );
  });
});
