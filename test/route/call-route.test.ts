import { describe, expect, test } from 'vitest';
import { createFallback, type FallbackOptions } from '../../src/http/create-fallback.ts';
import type { FallbackRequest } from '../../src/route/route.ts';
import { createRetryFetch, type HttpHeaders, type RetryConfig, RetryTransport, outcomeOf } from '../../src/index.ts';
import { openAIChunk, streamed } from '../llm/answers.ts';
import {
  fakeRuntime,
  heldRuntime,
  observed,
  respond,
  respondError,
  script,
  scriptTransport,
  type Step,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';

const TARGETS = [
  { name: 'haiku', model: 'haiku' },
  { name: 'large', kind: 'context', model: 'opus-1m' },
  { name: 'router', kind: 'provider', url: 'https://router.example/v1', headers: { authorization: 'Bearer routers' } },
] as const;
const POST: RequestInit = {
  method: 'POST',
  headers: { 'x-api-key': 'callers-key', 'content-type': 'application/json' },
  body: '{"model":"opus"}',
};
const tooLong = respondError(400, { code: 'context_length_exceeded', message: 'Too long.' });

function scripted(config: RetryConfig, chain: Partial<FallbackOptions>, ...steps: readonly [Step, ...Step[]]) {
  const runtime = fakeRuntime();
  const inner = script(runtime, ...steps);
  const fallback = createFallback({ primary: 'opus', targets: TARGETS, ...chain });
  const watched = observed({ jitter: 'none', runtime, fallback, ...config });
  const retrying = createRetryFetch({ fetch: inner, ...watched });
  const call = (init: RequestInit = POST): Promise<Response> => retrying(URL_OF_TEST, init);
  const sent = () => inner.calls.map(({ init }) => String(init?.body));
  return { call, inner, runtime, events: watched.events, sent, retrying };
}

const targetsOf = (response: Response): (string | undefined)[] =>
  (outcomeOf(response)?.history ?? []).map(({ target }) => target);

describe('a chain takes over', () => {
  test('after three retries, and each target then has one retry of its own', async () => {
    const { call, runtime } = scripted({}, {}, 529);
    const response = await call();
    expect(targetsOf(response)).toEqual(['opus', 'opus', 'opus', 'opus', 'haiku', 'haiku', 'router', 'router']);
    // The counter starts afresh on each target, and so does the schedule.
    expect(runtime.slept).toEqual([1_000, 2_000, 4_000, 0, 1_000, 0, 1_000]);
  });

  test('at once if it says so, and a further target has its own retries too', async () => {
    const chain = { maxRetriesBeforeFallback: 0, additionalRetries: 1 };
    const { call } = scripted({}, chain, 529);
    expect(targetsOf(await call())).toEqual(['opus', 'haiku', 'haiku', 'router', 'router']);
  });

  test('after as many retries as its options say, and no more than the call has', async () => {
    const early = scripted({ maxRetries: 5 }, { maxRetriesBeforeFallback: 1 }, 529, 529, 200);
    expect(targetsOf(await early.call())).toEqual(['opus', 'opus', 'haiku']);
    const few = scripted({ maxRetries: 1 }, { maxRetriesBeforeFallback: 3 }, 529, 529, 200);
    expect(targetsOf(await few.call())).toEqual(['opus', 'opus', 'haiku']);
  });

  test('alone, with maxRetries 0', async () => {
    const { call, runtime } = scripted({ maxRetries: 0 }, { additionalRetries: 0 }, 529, 529, 200);
    expect(targetsOf(await call())).toEqual(['opus', 'haiku', 'router']);
    expect(runtime.slept).toEqual([0, 0]);
  });

  test('with as many retries on each target as its options say', async () => {
    const { call } = scripted({ maxRetries: 0 }, { additionalRetries: 2, targets: [TARGETS[0]] }, 529);
    expect(targetsOf(await call())).toEqual(['opus', 'haiku', 'haiku', 'haiku']);
  });

  test('at once for a permanent failure that it covers', async () => {
    const { call, runtime, sent } = scripted({}, {}, tooLong, 200);
    expect((await call()).status).toBe(200);
    expect(sent()).toEqual(['{"model":"opus"}', '{"model":"opus-1m"}']);
    expect(runtime.slept).toEqual([0]);
  });

  test('with a larger context only for too many tokens: no model admits more bytes', async () => {
    for (const body of ['', 'Request Entity Too Large', '{"error":{"type":"request_too_large"}}']) {
      const { call } = scripted({}, {}, respond(413, {}, body), 200);
      const response = await call();
      expect(targetsOf(response)).toEqual(['opus']);
      expect(outcomeOf(response)).toMatchObject({ failure: { action: expect.stringContaining('bytes') } });
    }
    const { call } = scripted({}, {}, respondError(413, { message: 'Limit 6000, your prompt has 9000 tokens' }), 200);
    expect(targetsOf(await call())).toEqual(['opus', 'large']);
  });

  test("not if `classify` says 'stop', which ends the call, also with a permanent failure that it covers", async () => {
    for (const failure of [529, tooLong]) {
      const { call, events } = scripted({ classify: () => 'stop' }, { maxRetriesBeforeFallback: 0 }, failure, 200);
      expect(targetsOf(await call())).toEqual(['opus']);
      expect(events).toMatchObject([{ type: 'failed', because: 'not-retryable' }]);
    }
  });

  test('when the attempts of a strategy are used up', async () => {
    const strategies = { overloaded: { maxRetries: 1, baseDelayMs: 10, jitter: 'none' } } as const;
    const { call, runtime } = scripted({ strategies }, {}, 529, 529, 529, 200);
    expect(targetsOf(await call())).toEqual(['opus', 'opus', 'haiku', 'haiku']);
    expect(runtime.slept).toEqual([10, 0, 10]);
  });

  test('as a strategy says', async () => {
    const covered = scripted({ strategies: { rate_limit: { maxRetries: 0, fallback: true } } }, {}, 429, 200);
    expect(targetsOf(await covered.call())).toEqual(['opus', 'haiku']);
    const not = scripted({ strategies: { overloaded: { maxRetries: 0, fallback: false } } }, {}, 529, 200);
    expect(targetsOf(await not.call())).toEqual(['opus']);
  });

  test.each([
    ['a failure that it does not cover', 401],
    ['an exhausted quota', respondError(429, { code: 'insufficient_quota', message: 'x' })],
  ])('never for %s', async (_title, step) => {
    const { call, inner } = scripted({}, {}, step);
    await call();
    expect(inner.calls).toHaveLength(1);
  });

  test('again from a target, by the failures there', async () => {
    const { call } = scripted({ maxRetries: 0 }, { additionalRetries: 0 }, 529, tooLong, 529, 200);
    expect(targetsOf(await call())).toEqual(['opus', 'haiku', 'large', 'router']);
  });

  test('by a failure inside a stream before its first content', async () => {
    const overloaded = new TextEncoder().encode(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n',
    );
    const stream = (): Response => respond(200, { 'content-type': 'text/event-stream' }, overloaded);
    const { call } = scripted({ maxRetries: 0 }, {}, stream, 200);
    expect(targetsOf(await call())).toEqual(['opus', 'haiku']);
  });

  test('never after content', async () => {
    const failing = (): Response =>
      streamed(openAIChunk({ content: 'Hel' }), { error: { type: 'server_error', message: 'broke' } });
    const { call, inner, events } = scripted({ maxRetries: 0 }, {}, failing, 200);
    expect(await (await call()).text()).toContain('Hel');
    expect(inner.calls).toHaveLength(1);
    expect(events).toEqual([]);
  });
});

describe('the events of a fallback', () => {
  test('name the targets, in order, with retries counted over the whole call', async () => {
    const { call, events } = scripted({ maxRetries: 1 }, {}, 529, 529, 529, 200);
    await call();
    expect(events).toMatchObject([
      // One on the first target, and a move and a retry for each of the two others.
      { type: 'retry', retry: 1, maxRetries: 5, because: 'backoff' },
      { type: 'fallback', from: 'opus', to: 'haiku', failure: { type: 'overloaded' } },
      { type: 'retry', retry: 2, maxRetries: 5, delayMs: 0, because: 'fallback' },
      { type: 'retry', retry: 3, maxRetries: 5, because: 'backoff' },
      { type: 'recovered', attempts: 4, history: [{}, { because: 'fallback', delayMs: 0 }, {}, { target: 'haiku' }] },
    ]);
  });

  test('end with the failure of the last target', async () => {
    const { call, events } = scripted({ maxRetries: 0 }, { additionalRetries: 0 }, 529, 500, 502);
    expect((await call()).status).toBe(502);
    expect(events.at(-1)).toMatchObject({
      type: 'failed',
      attempts: 3,
      because: 'retries-exhausted',
      history: [{ target: 'opus' }, { target: 'haiku' }, { target: 'router' }],
    });
  });

  test('never show the keys of a target, even if it repeats them', async () => {
    const echo: Step = (_input, init) =>
      respondError(529, { message: `Busy, ${new Headers(init?.headers).get('authorization')}` });
    const targets = [{ name: 'other', headers: { authorization: 'Bearer targets-own-key' } }];
    const errors: Error[] = [];
    const onRetry = (_attempt: number, error: Error): void => void errors.push(error);
    const { call, events } = scripted(
      { maxRetries: 0, onRetry, onExhausted: (error) => void errors.push(error) },
      { targets },
      echo,
    );
    const response = await call();
    const told = JSON.stringify([events, outcomeOf(response)?.history ?? [], errors.map(({ message }) => message)]);
    expect(told).toContain('Busy');
    expect(told).not.toContain('targets-own-key');
  });
});

describe('a body', () => {
  const url = 'https://router.example/v1';
  const chain = { targets: [{ name: 'router', url, model: 'haiku', headers: { authorization: 'Bearer routers' } }] };

  test('in a Request is rewritten, and the rest of the Request is kept', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, 529, 529, 200);
    const config = { runtime, maxRetries: 1, jitter: 'none', fallback: createFallback(chain) } as const;
    const signal = new AbortController().signal;
    const request = new Request(URL_OF_TEST, { ...POST, redirect: 'error', signal });
    expect((await createRetryFetch({ fetch: inner, ...config })(request)).status).toBe(200);
    const last = inner.calls.at(-1);
    expect(last?.input).toBe(url);
    expect(last?.init).toMatchObject({ method: 'POST', body: '{"model":"haiku"}', redirect: 'error' });
    expect(last?.init?.signal).toBe(request.signal);
    expect(last?.init?.headers).toEqual({ 'content-type': 'application/json', authorization: 'Bearer routers' });
  });

  test('in a Request is a text for a rewrite, with its byte order mark', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, 529, 200);
    const text = '\uFEFFname,value';
    const given: unknown[] = [];
    const targets = [{ name: 'router', rewrite: (request: FallbackRequest) => (given.push(request.body), request) }];
    const request = new Request(URL_OF_TEST, { method: 'POST', body: new TextEncoder().encode(text) });
    await createRetryFetch({ fetch: inner, runtime, maxRetries: 0, fallback: createFallback({ targets }) })(request);
    expect([given, inner.calls[1]?.init?.body]).toEqual([[text], text]);
  });

  test('of bytes in a Request is not split', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, 529, 200);
    const bytes = new Uint8Array([0xff, 0xfe, 0, 1]);
    const request = new Request(URL_OF_TEST, { method: 'POST', body: bytes });
    await createRetryFetch({ fetch: inner, runtime, maxRetries: 0, fallback: createFallback(chain) })(request);
    expect(new Uint8Array(await new Response(inner.calls[1]?.init?.body).arrayBuffer())).toEqual(bytes);
  });

  test('that is a stream prevents a fallback', async () => {
    const { call, inner, events } = scripted({}, {}, 529, 200);
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: new Blob(['{}']).stream(), duplex: 'half' };
    expect((await call(init)).status).toBe(529);
    expect(inner.calls).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'failed', because: 'body-not-replayable' }]);
  });

  test.each<[string, RequestInit, unknown, RequestInit]>([
    ['takes away is not sent', POST, undefined, { method: 'POST', headers: {}, body: null }],
    ['makes a text of gets no content type', POST, 'a text', { method: 'POST', headers: {}, body: 'a text' }],
    ['does not add stays away', {}, undefined, { method: 'GET', headers: {} }],
  ])('that a target %s', async (_what, init, body, sent) => {
    const targets = [{ name: 'other', rewrite: () => ({ url, headers: {}, body }) }];
    const { call, inner } = scripted({ maxRetries: 0 }, { targets }, 529, 200);
    await call(init);
    expect(inner.calls[1]?.init).toEqual(sent);
  });

  test('of a transport is an object, which is rewritten in a copy', async () => {
    const transport = scriptTransport(529, 200);
    const body = { model: 'opus', n: 1 };
    const config = { runtime: fakeRuntime(), maxRetries: 0, fallback: createFallback(chain) };
    const signal = new AbortController().signal;
    await new RetryTransport(transport, config).post(URL_OF_TEST, body, { 'X-Api-Key': 'callers' }, signal);
    expect(transport.calls).toEqual([
      [URL_OF_TEST, body, { 'X-Api-Key': 'callers' }, signal],
      [url, { model: 'haiku', n: 1 }, { authorization: 'Bearer routers' }, signal],
    ]);
    expect(body.model).toBe('opus');
  });

  test('is missing in a get of a transport, which falls back too', async () => {
    const transport = scriptTransport(529, 200);
    const config = { runtime: fakeRuntime(), maxRetries: 0, fallback: createFallback(chain) };
    expect((await new RetryTransport(transport, config).get(URL_OF_TEST, { accept: '*/*' })).status).toBe(200);
    expect(transport.calls[1]).toEqual([url, { accept: '*/*', authorization: 'Bearer routers' }, undefined]);
  });
});

describe('a target', () => {
  test('whose rewrite throws ends the call with the same error', async () => {
    const error = new TypeError('no envelope');
    const rewrite = (): never => {
      throw error;
    };
    const { call, inner, events } = scripted({ maxRetries: 0 }, { targets: [{ name: 'broken', rewrite }] }, 529, 200);
    expect(await thrownBy(call())).toBe(error);
    expect(inner.calls).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'failed', attempts: 2, failure: { type: 'unknown' } });
  });

  test('whose rewrite never ends is abandoned at an abort', async () => {
    const abort = new AbortController();
    const rewrite = (): Promise<never> => {
      setImmediate(() => abort.abort('enough'));
      return new Promise(() => {});
    };
    const { call, events } = scripted({ maxRetries: 0 }, { targets: [{ name: 'slow', rewrite }] }, 529);
    expect(await call({ ...POST, signal: abort.signal }).catch((reason: unknown) => reason)).toBe('enough');
    expect(events.at(-1)).toMatchObject({ type: 'cancelled' });
  });

  test('is not used after an abort during the switch', async () => {
    const runtime = heldRuntime();
    const inner = script(runtime, 529, 200);
    const fallback = createFallback({ targets: TARGETS });
    const abort = new AbortController();
    const waiting = runtime.untilWaiting();
    const config = { runtime, maxRetries: 0, fallback };
    const call = createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, { signal: abort.signal }).catch(
      (reason: unknown) => reason,
    );
    await waiting;
    expect(runtime.waits[0]?.ms).toBe(0);
    abort.abort('enough');
    expect(await call).toBe('enough');
    expect(inner.calls).toHaveLength(1);
  });

  test('is rewritten once in a call, and again in the next', async () => {
    const { call } = scripted({ maxRetries: 0 }, { additionalRetries: 0 }, 529, 200, 529, 200);
    expect(targetsOf(await call())).toEqual(['opus', 'haiku']);
    expect(targetsOf(await call())).toEqual(['opus', 'haiku']);
  });

  test('gets the signal of the caller', async () => {
    const { call, inner } = scripted({ maxRetries: 0 }, {}, 529, 200);
    const { signal } = new AbortController();
    await call({ ...POST, signal });
    expect(inner.calls[1]?.init?.signal).toBe(signal);
  });

  test('gets the settings of a Request that an init of a class leaves open', async () => {
    class OwnInit {
      get headers(): HttpHeaders {
        return { accept: '*/*' };
      }
      get cache(): RequestCache {
        return 'reload';
      }
    }
    const { inner, retrying } = scripted({ maxRetries: 0 }, {}, 529, 200);
    await retrying(new Request(URL_OF_TEST, { redirect: 'manual' }), new OwnInit());
    expect(inner.calls[1]?.init).toMatchObject({ redirect: 'manual', cache: 'reload', headers: { accept: '*/*' } });
  });

  test('does not delay the first attempt, which is sent before the call returns', async () => {
    const { call, inner } = scripted({}, {}, 200);
    const answered = call();
    expect(inner.calls).toHaveLength(1);
    await answered;
  });

  test('is not used while the server asks for a wait and retries are left', async () => {
    const { call, runtime } = scripted({}, {}, respond(429, { 'retry-after': '3' }), 200);
    expect(targetsOf(await call())).toEqual(['opus', 'opus']);
    expect(runtime.slept).toEqual([3_000]);
  });

  test('is kept by `with`', async () => {
    const { retrying } = scripted({}, {}, 529, 200);
    expect(targetsOf(await retrying.with({ maxRetries: 0 })(URL_OF_TEST, POST))).toEqual(['opus', 'haiku']);
  });
});
