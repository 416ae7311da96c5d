import { describe, expect, test } from 'vitest';
import type { FailureType } from '../../src/failure/failure.ts';
import { createFallback, type FallbackTarget } from '../../src/http/create-fallback.ts';
import type { FallbackChain, FallbackRequest } from '../../src/route/route.ts';
import { createRetryFetch } from '../../src/index.ts';
import { fakeRuntime, script, thrownBy } from '../script.ts';
import { chainOf } from '../../src/route/open-route.ts';

/** The names of the targets that a chain goes through for one type of failure. */
const walkOf = (chain: FallbackChain, type: FailureType, fallsBack?: boolean): string[] =>
  chainOf(chain)
    .left({ type }, [], fallsBack)
    .map(({ name }) => name);

async function rewrite(
  target: Omit<FallbackTarget, 'name'>,
  request: Partial<FallbackRequest>,
): Promise<FallbackRequest> {
  const chain = createFallback({ targets: [{ name: 'other', covers: ['unknown'], ...target }] });
  const [next] = chainOf(chain).left({ type: 'unknown' }, []);
  if (next === undefined) throw new Error('Expected a target.');
  return next.requestFor({ url: 'https://one.example/v1', headers: {}, body: undefined, ...request });
}

const large = { name: 'large', kind: 'context' } as const;
const small = { name: 'small', kind: 'error' } as const;
const plain = { name: 'plain' };
const elsewhere = { name: 'elsewhere', kind: 'provider' } as const;

describe('the order of targets', () => {
  const targets = [elsewhere, large, small, plain];

  test.each([
    ['context_too_long', ['large']],
    ['overloaded', ['small', 'plain', 'elsewhere']],
    ['server_error', ['small', 'plain', 'elsewhere']],
    ['provider_unavailable', ['small', 'plain', 'elsewhere']],
    ['billing_error', ['small', 'plain', 'elsewhere']],
    ['rate_limit', []],
    ['quota_exhausted', []],
    ['invalid_request', []],
  ] as const)('for %s is %j: models first, another provider last', (type, names) => {
    expect(walkOf(createFallback({ targets }), type)).toEqual(names);
  });

  test('follows the strategy of the caller if there is one', () => {
    const chain = createFallback({ targets });
    expect(walkOf(chain, 'rate_limit', true)).toEqual(['small', 'plain', 'elsewhere']);
    expect(walkOf(chain, 'overloaded', false)).toEqual([]);
    expect(walkOf(chain, 'context_too_long', false)).toEqual([]);
  });

  test('follows the failures that a target covers before everything else', () => {
    const chain = createFallback({
      targets: [
        { ...elsewhere, covers: ['auth_invalid'] },
        { ...small, covers: [] },
      ],
    });
    expect(walkOf(chain, 'auth_invalid', false)).toEqual(['elsewhere']);
    expect(walkOf(chain, 'overloaded', true)).toEqual([]);
  });
});

describe('a target', () => {
  test('without options sends the same request again', async () => {
    const request = { url: 'https://one.example/v1', headers: { authorization: 'Bearer k' }, body: '{}' };
    await expect(rewrite({}, request)).resolves.toEqual(request);
  });

  test('replaces url, headers and model', async () => {
    const rewritten = await rewrite(
      { url: 'https://one.example/v2', headers: { Authorization: 'Bearer mine', 'X-New': '1' }, model: 'haiku' },
      { headers: { authorization: 'Bearer k', accept: '*/*' }, body: '{"model":"opus","n":1}' },
    );
    expect(rewritten).toEqual({
      url: 'https://one.example/v2',
      headers: { authorization: 'Bearer mine', accept: '*/*', 'x-new': '1' },
      body: '{"model":"haiku","n":1}',
    });
  });

  const bytes = new TextEncoder().encode('{"model":"opus"}');
  const stream = new ReadableStream();
  const blob = new Blob(['{"model":"opus"}']);
  test.each([
    ['text', '{"model":"opus"}', '{"model":"haiku"}'],
    ['text that names none', '{}', '{"model":"haiku"}'],
    ['text that is no JSON', 'hello', 'hello'],
    ['text that is a JSON list', '[1]', '[1]'],
    ['text that is null in JSON', 'null', 'null'],
    ['an object', { model: 'opus', n: 1 }, { model: 'haiku', n: 1 }],
    ['a list', [1], [1]],
    ['bytes', bytes, '{"model":"haiku"}'],
    ['bytes within a larger buffer', new Uint8Array(bytes.buffer, 1, 3), new Uint8Array(bytes.buffer, 1, 3)],
    ['a buffer', bytes.buffer, '{"model":"haiku"}'],
    ['a buffer that is no JSON', new ArrayBuffer(2), new ArrayBuffer(2)],
    ['a blob', blob, blob],
    ['a stream', stream, stream],
    ['parameters', new URLSearchParams('model=opus'), new URLSearchParams('model=opus')],
    ['nothing', undefined, undefined],
    ['null', null, null],
    ['a number', 3, 3],
  ])('replaces the model in %s, or leaves the body unchanged', async (_title, body, expected) => {
    expect((await rewrite({ model: 'haiku' }, { body })).body).toEqual(expected);
  });

  test('replaces the model of a form, in a copy', async () => {
    const form = new FormData();
    form.append('model', 'whisper-1');
    form.append('file', new Blob(['x']), 'x.wav');
    const { body } = await rewrite({ model: 'whisper-2' }, { body: form });
    expect(body).toBeInstanceOf(FormData);
    expect(body instanceof FormData && [body.get('model'), body.has('file')]).toEqual(['whisper-2', true]);
    expect(form.get('model')).toBe('whisper-1');
    const other = new FormData();
    expect((await rewrite({ model: 'whisper-2' }, { body: other })).body).toBe(other);
  });

  test('does not change the object that the caller gave', async () => {
    const body = Object.freeze({ model: 'opus' });
    await rewrite({ model: 'haiku' }, { body });
    expect(body).toEqual({ model: 'opus' });
  });

  test('leaves the length of the body to the fetch that sends it', async () => {
    expect((await rewrite({}, { headers: { 'content-length': '9' } })).headers).toEqual({});
  });

  test('may rewrite the request, asynchronously too', async () => {
    const target = {
      model: 'haiku',
      rewrite: async (request: FallbackRequest) => ({
        ...request,
        headers: { ...request.headers, Accept: 'text/plain' },
        body: `envelope of ${String(request.body)}`,
      }),
    };
    const rewritten = await rewrite(target, { headers: { accept: '*/*' }, body: '{}' });
    expect(rewritten).toMatchObject({ headers: { accept: 'text/plain' }, body: 'envelope of {"model":"haiku"}' });
  });

  test('whose rewritten request is invalid is refused by name', async () => {
    // @ts-expect-error -- callers in JavaScript
    const error = await thrownBy(rewrite({ rewrite: () => undefined }, {}));
    expect(error).toEqual(new TypeError('Expected `rewrite` of the target "other" to give { url, headers, body }.'));
  });
});

describe("the caller's keys", () => {
  const headers = {
    authorization: 'Bearer k',
    'x-api-key': 'k',
    'x-custom-credential': 'k',
    cookie: 'k=k',
    host: 'one.example',
    origin: 'https://one.example',
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
  };
  const harmless = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };

  test.each([
    ['https://two.example/v1', harmless],
    ['http://one.example/v1', harmless],
    ['https://one.example:8443/v1', harmless],
    ['//two.example/v1', harmless],
    ['data:,x', harmless],
    ['https://one.example/v2', headers],
  ])('for a target at %s leave %j', async (url, kept) => {
    expect((await rewrite({ url }, { headers })).headers).toEqual(kept);
    // The same when the url is changed at the last moment.
    expect((await rewrite({ rewrite: (request) => ({ ...request, url }) }, { headers })).headers).toEqual(kept);
  });

  test('are not sent to a last-moment URL that cannot be read', async () => {
    const target = { rewrite: (request: FallbackRequest) => ({ ...request, url: 'https://[' }) };
    for (const url of ['https://one.example/v1', 'https://['])
      expect((await rewrite(target, { url, headers })).headers).toEqual(harmless);
  });

  test('of a relative URL stay with a relative URL', async () => {
    expect((await rewrite({ url: '/v2' }, { url: '/v1', headers })).headers).toEqual(headers);
  });

  test.each<[string, string, string, string]>([
    ['a key by its name', '/v1?key=k1', 'https://two.example/v2?key=k1&alt=sse', 'https://two.example/v2?alt=sse'],
    [
      'a key by its shape',
      'https://one.example/v1?x=sk-ant-api03-abcdefghijklmnopqrstuvwxyz',
      'https://two.example/v2?x=sk-ant-api03-abcdefghijklmnopqrstuvwxyz',
      'https://two.example/v2',
    ],
    ['userinfo', 'https://me:word@one.example/', 'https://me:word@two.example/', 'https://two.example/'],
    [
      'not a key of its own',
      'https://one.example/v1?key=k1',
      'https://two.example/v2?key=k2',
      'https://two.example/v2?key=k2',
    ],
    [
      'not what is no key',
      'https://one.example/v1?alt=sse',
      'https://two.example/v2?alt=sse',
      'https://two.example/v2?alt=sse',
    ],
    ['nothing of a URL that cannot be read', 'https://one.example/?key=k1', 'https://[/?key=k1', 'https://[/?key=k1'],
    [
      'a key, where the caller has an absolute URL and the last word a relative one',
      'https://one.example/v1?key=k1',
      '/v2?key=k1&alt=sse',
      '/v2?alt=sse',
    ],
  ])('in a URL that `rewrite` moves leave it: %s', async (_what, given, moved, expected) => {
    const target = { rewrite: (request: FallbackRequest) => ({ ...request, url: moved }) };
    expect((await rewrite(target, { url: given, headers })).url).toBe(expected);
  });

  test('never replace those of the target', async () => {
    const own = { 'X-API-Key': 'mine', authorization: 'Bearer k' };
    const target = { url: 'https://two.example/', headers: own };
    const expected = { ...harmless, 'x-api-key': 'mine', authorization: 'Bearer k' };
    expect((await rewrite(target, { headers })).headers).toEqual(expected);
    const url = 'https://three.example/';
    const moved = { headers: own, rewrite: (request: FallbackRequest) => ({ ...request, url }) };
    expect((await rewrite(moved, { headers })).headers).toEqual(expected);
  });

  test('may be replaced by `rewrite`', async () => {
    const url = 'https://two.example/';
    const moved = { rewrite: ({ body }: FallbackRequest) => ({ url, body, headers: { authorization: 'Bearer new' } }) };
    expect((await rewrite(moved, { headers })).headers).toEqual({ authorization: 'Bearer new' });
  });
});

describe('a body that a target creates', () => {
  const sentFor = async (body: unknown): Promise<RequestInit | undefined> => {
    const runtime = fakeRuntime();
    const inner = script(runtime, 529, 200);
    const fallback = createFallback({
      targets: [{ name: 'other', rewrite: (request) => ({ ...request, body }) }],
      maxRetriesBeforeFallback: 0,
    });
    await createRetryFetch({ fetch: inner, runtime, fallback })('https://one.example/v1', {
      method: 'POST',
      body: 'given',
    });
    return inner.calls[1]?.init;
  };

  test.each<[string, unknown]>([
    ['a text', 'text'],
    ['bytes', new Uint8Array([1, 2])],
    ['a view', new DataView(new ArrayBuffer(2))],
    ['a buffer', new ArrayBuffer(2)],
    ['a blob', new Blob(['x'])],
    ['parameters', new URLSearchParams('a=1')],
  ])('is sent unchanged: %s', async (_what, body) => {
    expect((await sentFor(body))?.body).toBe(body);
  });

  test.each<[unknown, string]>([
    [{ model: 'm' }, '{"model":"m"}'],
    [[1, 2], '[1,2]'],
    [7, '7'],
    [true, 'true'],
  ])('is sent as JSON, with its content type: %j', async (body, text) => {
    const init = await sentFor(body);
    expect([init?.body, new Headers(init?.headers).get('content-type')]).toEqual([text, 'application/json']);
  });
});

describe('an invalid chain', () => {
  test.each([
    [{ targets: [] }, /`targets` to name at least one/],
    [{ targets: [{ name: 7 }] }, /every target to have a `name`/],
    [{ targets: [{ name: '' }] }, /every target to have a `name`/],
    [{ targets: [null] }, /every target to have a `name`/],
    [{ targets: [{ ...plain, kind: 'contexts' }] }, /`kind` to be one of 'context', 'error', 'provider'/],
    [{ targets: [{ ...plain, covers: 'overloaded' }] }, /`covers` to be a list of failure types/],
    [
      { targets: [{ ...plain, covers: ['timeout', 'overload'] }] },
      /such as 'rate_limit', in the target "plain", got "overload"/,
    ],
    [{ targets: [{ ...plain, rewrite: {} }] }, /`rewrite` of the target "plain" to be a function/],
    [{ targets: [plain], maxRetriesBeforeFallback: -1 }, /`maxRetriesBeforeFallback` to be an integer ≥ 0/],
    [{ targets: [plain], additionalRetries: 0.5 }, /`additionalRetries` to be an integer ≥ 0/],
    [undefined, /`options` to be an object such as/],
    [{ targets: undefined }, /`targets` to name at least one/],
    [{ targets: [plain], primary: 1 }, /`primary` to be a text/],
    [{ targets: [plain], maxRetriesBeforeFalback: 0 }, /Unknown option `maxRetriesBeforeFalback`/],
    [{ targets: [{ ...plain, modle: 'm' }] }, /Unknown option `modle`. Did you mean `model`/],
    [{ targets: [{ ...plain, model: 5 }] }, /`model` to be a text/],
    [{ targets: [{ ...plain, headers: 'x-api-key: k' }] }, /`headers` to be an object such as .+, got string\./],
    [{ targets: [{ ...plain, url: 'not a url' }] }, /`url` to be a URL such as .+, got "not a url"/],
    [{ targets: [{ ...plain, url: 'localhost:8080/v1' }] }, /`url` to be a URL such as .+, got "localhost:8080\/v1"/],
    [{ targets: [{ ...plain, url: 'https://' }] }, /`url` to be a URL such as/],
    [{ targets: [{ ...plain, url: 5 }] }, /`url` to be a URL such as .+, got 5/],
  ])('such as %j is refused', (options, message) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => createFallback(options)).toThrow(message);
  });

  test('is refused without the secrets of its URL', () => {
    const targets = [{ name: 'other', url: 'api.example.com/v1?key=s3cr3t-key' }];
    expect(() => createFallback({ targets })).toThrow('got "api.example.com/v1".');
  });

  test('has nothing against members that are no options', () => {
    const target = { name: 'other', tier: 'gold' };
    expect(() => createFallback({ targets: [target] })).not.toThrow();
  });

  test('is refused at creation, not when it is used', () => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => createRetryFetch({ fallback: {} })).toThrow('Expected `fallback` to be createFallback(');
  });
});
