import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  completions,
  type PlaywrightRoute,
  recordings,
  replayFetch,
  replayRoute,
  stubFetch,
  type Step,
} from '../../mocks/index.ts';
import { createRetryFetch } from '../../src/index.ts';
import { thrownBy } from '../script.ts';

const MESSAGES = 'https://api.anthropic.com/v1/messages';
const hello = completions.anthropic('Hello');
const stream = completions.anthropicStream('Hello');
const post = { method: 'POST', body: '{"n":1}', headers: { 'x-test': 'yes' } } as const;

describe('replayFetch', () => {
  test('answers one step per request, repeats the last one, and remembers the requests', async () => {
    const fetch = replayFetch('anthropic-429-overloaded-bare', hello);
    const statuses = [await fetch(MESSAGES, post), await fetch(new Request(MESSAGES)), await fetch(new URL(MESSAGES))];
    expect(statuses.map(({ status }) => status)).toEqual([429, 200, 200]);
    expect(fetch.requests).toMatchObject([
      { method: 'POST', url: MESSAGES, headers: { 'x-test': 'yes' }, body: '{"n":1}' },
      { method: 'GET', url: MESSAGES, body: '' },
      { method: 'GET', url: MESSAGES },
    ]);
    fetch.rewind();
    expect(fetch.requests).toEqual([]);
    expect((await fetch(MESSAGES)).status).toBe(429);
  });

  test('answers with a status alone, without headers or body', async () => {
    const response = await replayFetch(503)(MESSAGES);
    expect([response.status, [...response.headers], response.body]).toEqual([503, [], null]);
    for (const status of [199, 600, 429.5, Number.NaN])
      expect(() => replayFetch(status)).toThrow(/^Expected each step to be .*a status from 200 to 599/);
  });

  test('is an inner fetch for the retries', async () => {
    const inner = replayFetch('network-error', 'anthropic-429-overloaded-bare', { recording: stream, chunkBytes: 7 });
    const fetch = createRetryFetch({ fetch: inner, runtime: { sleep: async () => {} } });
    const response = await fetch(MESSAGES, post);
    expect(await response.text()).toBe(stream.body);
    expect(inner.requests).toHaveLength(3);
  });

  test('answers a spent quota with one request', async () => {
    const inner = replayFetch('openai-429-insufficient-quota');
    const response = await createRetryFetch({ fetch: inner })('https://api.openai.com/v1/chat/completions', post);
    expect(await response.text()).toBe(recordings['openai-429-insufficient-quota'].response.body);
    expect(inner.requests).toHaveLength(1);
  });

  test('rejects without a response as fetch does', async () => {
    const error = await thrownBy(replayFetch('network-error')(MESSAGES));
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toHaveProperty('message', 'fetch failed');
  });

  test('rejects with the reason of the signal: before, during the wait, and in the body', async () => {
    const fetch = replayFetch({ recording: hello, delayMs: Infinity }, { recording: stream, chunkDelayMs: Infinity });
    expect(await thrownBy(fetch(MESSAGES, { signal: AbortSignal.abort('before') }))).toBe('before');
    const during = new AbortController();
    const waiting = thrownBy(fetch(MESSAGES, { signal: during.signal }));
    during.abort('during');
    expect(await waiting).toBe('during');
    const after = new AbortController();
    const response = await fetch(MESSAGES, { signal: after.signal });
    const reading = thrownBy(response.text());
    after.abort('after');
    expect(await reading).toBe('after');
  });

  test('rejects with the reason of the signal also after a collection of garbage', async () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    const fetch = replayFetch({ recording: hello, delayMs: Infinity }, { recording: stream, chunkDelayMs: Infinity });
    const reads: readonly ((response: Response) => unknown)[] = [(response) => response, (response) => response.text()];
    for (const read of reads) {
      const caller = new AbortController();
      const thrown = thrownBy(fetch(MESSAGES, { signal: caller.signal }).then(read));
      for (let round = 0; round < 2; round += 1) {
        if (typeof collect === 'function') collect();
        await new Promise((resolve) => setImmediate(resolve));
      }
      caller.abort('why');
      expect(await thrown).toBe('why');
    }
  });

  test('refuses an unknown recording at creation', () => {
    // @ts-expect-error: no such recording
    expect(() => replayFetch('nginx-503-html')).toThrow(/Did you mean .*'nginx-502-html'/);
  });
});

describe('stubFetch', () => {
  const outside = vi.fn<typeof fetch>(async () => new Response('outside'));
  beforeEach(() => {
    vi.stubGlobal('fetch', outside);
    return () => vi.unstubAllGlobals();
  });

  const messages = stubFetch({ beforeEach, afterEach }, MESSAGES, 'nginx-502-html', hello);
  const models = stubFetch({ beforeEach, afterEach }, /\/v1\/models$/g, completions.openai('Hi'));

  // Twice: each test begins at the first step.
  test.each([1, 2])('replaces the global fetch for its requests, in test %d of the file', async () => {
    const retrying = createRetryFetch({ runtime: { sleep: async () => {} } });
    expect((await retrying(`${MESSAGES}?beta=true`, post)).status).toBe(200);
    expect(messages.requests.map(({ url }) => url)).toEqual([`${MESSAGES}?beta=true`, `${MESSAGES}?beta=true`]);
    for (const _ of [1, 2]) expect((await fetch('https://api.openai.com/v1/models')).status).toBe(200);
    expect(models.requests).toHaveLength(2);
    expect(await (await fetch(new Request('https://example.com/'))).text()).toBe('outside');
    expect(outside).toHaveBeenCalled();
  });

  test('restores the fetch that was there before', async () => {
    const hooks: { begin?: () => void; end?: () => void } = {};
    const fetch = globalThis.fetch;
    stubFetch(
      { beforeEach: (hook) => void (hooks.begin = hook), afterEach: (hook) => void (hooks.end = hook) },
      MESSAGES,
      hello,
    );
    hooks.end?.();
    expect(globalThis.fetch).toBe(fetch);
    hooks.begin?.();
    expect(globalThis.fetch).not.toBe(fetch);
    hooks.end?.();
    expect(globalThis.fetch).toBe(fetch);
  });
});

describe('replayRoute', () => {
  /** What Playwright would do with one request. */
  async function routed(...steps: readonly [Step, ...Step[]]): Promise<unknown> {
    const done: unknown[] = [];
    const route: PlaywrightRoute = {
      request: () => ({
        method: () => 'POST',
        url: () => MESSAGES,
        headers: () => ({ ':authority': 'api.anthropic.com', 'x-test': 'yes' }),
        postData: () => '{"n":1}',
      }),
      fulfill: async (response) => void done.push(response),
      abort: async (code) => void done.push(code),
    };
    const handler = replayRoute(...steps);
    await handler(route);
    expect(handler.requests).toMatchObject([{ method: 'POST', url: MESSAGES, body: '{"n":1}' }]);
    expect(done).toHaveLength(1);
    return done[0];
  }

  test('answers with the whole body, even if it comes in pieces', async () => {
    const { status, headers, body } = recordings['anthropic-429-overloaded-bare'].response;
    expect(await routed('anthropic-429-overloaded-bare')).toEqual({ status, headers, body });
    expect(await routed({ recording: stream, chunkBytes: 5 })).toEqual({
      status: 200,
      headers: stream.headers,
      body: stream.body,
    });
  });

  test.each<[string, Step]>([
    ['connectionfailed', 'network-error'],
    ['connectionreset', { recording: stream, dieAfterBytes: 9 }],
  ])('aborts with %s for %j', async (code, step) => {
    expect(await routed(step)).toBe(code);
  });

  test('answers with the Retry-After of a step of your own, and exposes it if the step says so', async () => {
    const headers = { 'retry-after': '20', 'access-control-expose-headers': 'retry-after' };
    expect(await routed({ status: 429, headers, body: '{}' })).toEqual({ status: 429, headers, body: '{}' });
  });

  test('refuses a body that is not text', async () => {
    const binary = { status: 200, statusText: 'OK', headers: {}, body: '/w==', encoding: 'base64' } as const;
    expect(await thrownBy(routed(binary))).toBeInstanceOf(TypeError);
  });
});
