import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { createFallback, type FallbackTarget } from '../../src/http/create-fallback.ts';
import { createKeyRotation } from '../../src/http/key-rotation.ts';
import type { FallbackRequest } from '../../src/route/route.ts';
import { createRetryFetch, FetchTransport, type RetryConfig, RetryTransport } from '../../src/index.ts';
import { fakeRuntime, respond, script, type ScriptedFetch, type Step } from '../script.ts';
import { chainOf } from '../../src/route/open-route.ts';

const HOME = 'https://home.example';

/** Every value of the caller's that belongs to HOME has this in it. */
const SECRET = 'S3CRET';

const secretFor = (name: string): readonly [string, string] => [name, `${SECRET}-${name}-0123456789`];
const recordOf = (names: readonly string[]): Record<string, string> => Object.fromEntries(names.map(secretFor));

const headerNames = fc.subarray(['authorization', 'x-api-key', 'cookie', 'x-tenant', 'Private-Token', 'x-signature']);
const parameters = fc.subarray(['key', 'sig', 'code', 'token', 'api_key', 'X-Amz-Signature', 'subscription-key']);

const rewrites: Readonly<Record<string, FallbackTarget['rewrite']>> = {
  none: undefined,
  'another host': (request) => ({ ...request, url: withHost(request, 'rewritten.example') }),
  'another host, with all headers as Headers': (request) => ({
    ...request,
    url: withHost(request, 'rewritten.example'),
    headers: { ...request.headers },
  }),
  'home again': (request) => ({ ...request, url: withHost(request, new URL(HOME).host) }),
};

function withHost({ url }: FallbackRequest, host: string): string {
  const changed = new URL(url);
  changed.host = host;
  return changed.href;
}

const target = fc.record({
  url: fc.constantFrom(undefined, `${HOME}/v2`, 'https://other.example/v1', 'http://home.example/v1'),
  model: fc.constantFrom(undefined, 'other-model'),
  rewrite: fc.constantFrom(...Object.values(rewrites)),
});

const call = fc.record({
  own: headerNames,
  given: headerNames,
  query: parameters,
  hasUserinfo: fc.boolean(),
  targets: fc.array(target, { minLength: 1, maxLength: 3 }),
});

interface Drawn {
  readonly own: readonly string[];
  readonly given: readonly string[];
  readonly query: readonly string[];
  readonly hasUserinfo: boolean;
  readonly targets: readonly Omit<FallbackTarget, 'name'>[];
}

const urlOf = ({ query, hasUserinfo }: Drawn): string => {
  const url = new URL(`${HOME}/v1/messages`);
  for (const [name, value] of query.map(secretFor)) url.searchParams.set(name, value);
  if (hasUserinfo) Object.assign(url, { username: `${SECRET}-user`, password: `${SECRET}-password` });
  return url.href;
};

const configOf = ({ targets }: Drawn): RetryConfig => ({
  runtime: fakeRuntime(),
  fallback: createFallback({
    targets: targets.map((parts, index) => ({ name: `target ${index}`, ...parts })),
    maxRetriesBeforeFallback: 0,
    additionalRetries: 0,
  }),
});

/** What reached an origin that the secrets are not for. */
function leaksOf({ calls }: ScriptedFetch): readonly string[] {
  return calls
    .filter(({ input }) => new URL(String(input)).origin !== HOME)
    .map(({ input, init }) => JSON.stringify([String(input), [...new Headers(init?.headers)]]))
    .filter((request) => request.includes(SECRET));
}

const FAILING: Step = 529;

describe('headers and query values of an origin stay there', () => {
  test.prop([call])('in a chain over fetch', async (drawn) => {
    const inner = script(fakeRuntime(), FAILING);
    const headers = recordOf(drawn.given);
    await createRetryFetch({ fetch: inner, ...configOf(drawn) })(urlOf(drawn), {
      method: 'POST',
      body: '{"model":"x"}',
      headers,
    });
    expect(inner.calls.length).toBe(1 + drawn.targets.length);
    expect(leaksOf(inner)).toEqual([]);
  });

  test.prop([call])('in a chain over a transport with its own headers', async (drawn) => {
    const inner = script(fakeRuntime(), FAILING);
    const transport = new FetchTransport({ fetch: inner, headers: recordOf(drawn.own) });
    const retrying = new RetryTransport(transport, configOf(drawn));
    await retrying.post(urlOf(drawn), { model: 'x' }, recordOf(drawn.given));
    expect(inner.calls.length).toBe(1 + drawn.targets.length);
    expect(leaksOf(inner)).toEqual([]);
    // At home nothing is missing.
    const first = new Headers(inner.calls[0]?.init?.headers);
    expect([...drawn.own, ...drawn.given].filter((name) => !first.has(name))).toEqual([]);
  });

  test.prop([headerNames, headerNames, fc.constantFrom(301, 302, 303, 307, 308)])(
    'in a redirect',
    async (own, given, status) => {
      const seen: string[] = [];
      const follow = async (url: string, init: RequestInit | undefined): Promise<Response> => {
        seen.push(JSON.stringify([new URL(url).origin, [...new Headers(init?.headers)]]));
        if (new URL(url).origin !== HOME) return respond(200);
        if (init?.redirect === 'manual') return respond(status, { location: 'https://other.example/' });
        // What fetch itself does: it drops these two and nothing else.
        const headers = new Headers(init?.headers);
        headers.delete('authorization');
        headers.delete('cookie');
        return follow('https://other.example/', { ...init, headers });
      };
      const transport = new FetchTransport({
        fetch: (input, init) => follow(String(input), init),
        headers: recordOf(own),
      });
      await transport.post(`${HOME}/v1`, {}, recordOf(given)).catch(() => {});
      const elsewhere = seen.filter((request) => !request.includes(HOME));
      // "x-tenant" is not named like a credential.
      expect(elsewhere.filter((request) => request.replaceAll(/"x-tenant","[^"]*"/g, '').includes(SECRET))).toEqual([]);
      const keptByFetch = [...own, ...given].every((name) => /^(?:authorization|cookie|x-tenant)$/.test(name));
      expect(elsewhere.length > 0).toBe(keptByFetch);
    },
  );
});

describe('a target at another origin', () => {
  const request: FallbackRequest = { url: `${HOME}/v1`, headers: { 'x-api-key': SECRET }, body: undefined };

  it('gets the ordinary headers of a transport', async () => {
    const inner = script(fakeRuntime(), FAILING);
    const own = { 'Anthropic-Version': '2023-06-01', 'X-Api-Key': SECRET, 'user-agent': 'mine/1' };
    const retrying = new RetryTransport(
      new FetchTransport({ fetch: inner, headers: own }),
      configOf({ own: [], given: [], query: [], hasUserinfo: false, targets: [{ url: 'https://other.example/' }] }),
    );
    await retrying.post(`${HOME}/v1`, {});
    expect(inner.calls[1]?.init?.headers).toEqual({
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'user-agent': 'mine/1',
    });
  });

  it('keeps a credential in the query of its own URL', async () => {
    const url = 'https://other.example/?key=its-own';
    const chain = createFallback({ targets: [{ name: 'other', url, rewrite: (offered) => offered }] });
    const [next] = chainOf(chain).left({ type: 'server_error' }, []);
    expect((await next?.requestFor({ ...request, url: `${HOME}/v1?key=its-own` }))?.url).toBe(url);
  });

  it('gets the headers of its own fetch, and the primary those of the inner fetch', async () => {
    const [inner, its] = [script(fakeRuntime(), FAILING), script(fakeRuntime(), 200)];
    const fallback = createFallback({ targets: [{ name: 'other', url: 'https://other.example/', fetch: its }] });
    const config = { runtime: fakeRuntime(), fallback, maxRetries: 1 };
    expect((await createRetryFetch({ fetch: inner, ...config })(`${HOME}/v1`)).status).toBe(200);
    expect(its.calls.map(({ input }) => input)).toEqual(['https://other.example/']);
    expect(leaksOf(its)).toEqual([]);
  });

  it('gets no credential through two layers of retries', async () => {
    const inner = script(fakeRuntime(), FAILING);
    const targets = [{ name: 'other', url: 'https://other.example/' }];
    const own = new FetchTransport({ fetch: inner, headers: { 'x-api-key': SECRET } });
    const below = new RetryTransport(own, {
      runtime: fakeRuntime(),
      maxRetries: 1,
      fallback: createFallback({ targets: [{ name: 'third', rewrite: (offered) => ({ ...offered, body: 'x' }) }] }),
    });
    const above = new RetryTransport(below, {
      runtime: fakeRuntime(),
      maxRetries: 1,
      fallback: createFallback({ targets }),
    });
    await above.post(`${HOME}/v1`, {});
    expect(inner.calls.filter(({ input }) => String(input).startsWith('https://other')).length).toBeGreaterThan(1);
    expect(leaksOf(inner)).toEqual([]);
  });

  it('gets its own idempotency key, the same on each attempt', async () => {
    const inner = script(fakeRuntime(), FAILING);
    const targets = [
      { name: 'other model', model: 'b' },
      { name: 'other', url: 'https://other.example/' },
    ];
    const fallback = createFallback({ targets, maxRetriesBeforeFallback: 1, additionalRetries: 1 });
    const config = { runtime: fakeRuntime(), idempotencyKeyHeader: 'idempotency-key', fallback, maxRetries: 1 };
    await createRetryFetch({ fetch: inner, ...config })(`${HOME}/v1`, { method: 'POST', body: '{"model":"a"}' });
    const keys = inner.calls.map(({ init }) => new Headers(init?.headers).get('idempotency-key'));
    expect(keys).toHaveLength(6);
    expect([keys[0], keys[2], keys[4]]).toEqual([keys[1], keys[3], keys[5]]);
    expect(new Set(keys).size).toBe(3);
  });

  it.each([
    ['the option names', 'X-Request-Key', { idempotencyKeyHeader: 'X-Request-Key' }],
    ['no option names', 'Idempotency-Key', {}],
  ])("gets a new key in place of the caller's, which %s, the same on each attempt", async (_what, name, option) => {
    const inner = script(fakeRuntime(), FAILING);
    const targets = [
      { name: 'other model', model: 'b' },
      { name: 'with a key of its own', model: 'c', headers: { [name]: 'theirs' } },
    ];
    const fallback = createFallback({ targets, maxRetriesBeforeFallback: 1, additionalRetries: 1 });
    const config = { runtime: fakeRuntime(), fallback, maxRetries: 1, ...option };
    const init = { method: 'POST', body: '{"model":"a"}', headers: { [name]: 'mine' } };
    await createRetryFetch({ fetch: inner, ...config })(`${HOME}/v1`, init);
    const keys = inner.calls.map(({ init: sent }) => new Headers(sent?.headers).get(name));
    expect(keys).toEqual(['mine', 'mine', keys[2], keys[2], 'theirs', 'theirs']);
    expect(keys[2]).toMatch(/^[\w-]{16,}$/);
  });

  it("gets a new key in place of the caller's from a rotation, but not for its first API key", async () => {
    const inner = script(fakeRuntime(), respond(429), respond(429), respond(200));
    const fallback = createKeyRotation({ keys: ['key-one', 'key-two', 'key-three'] });
    const retrying = createRetryFetch({ fetch: inner, runtime: fakeRuntime(), fallback });
    await retrying(`${HOME}/v1`, { method: 'POST', body: '{}', headers: { 'idempotency-key': 'mine' } });
    const sent = inner.calls.map(({ init }) => new Headers(init?.headers).get('idempotency-key'));
    expect(sent[0]).toBe('mine');
    expect(new Set(sent).size).toBe(3);
  });

  it('may have its own fetch', () => {
    const fetch = async (): Promise<Response> => respond(200);
    const chain = createFallback({ targets: [{ name: 'other', fetch }] });
    expect(chainOf(chain).left({ type: 'server_error' }, [])[0]?.fetch).toBe(fetch);
    // @ts-expect-error -- callers in JavaScript
    expect(() => createFallback({ targets: [{ name: 'other', fetch: 'fetch' }] })).toThrow(
      'Expected `fetch` of the target "other" to be a function, got string.',
    );
  });
});
