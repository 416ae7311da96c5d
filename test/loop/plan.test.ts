import { describe, expect, test } from 'vitest';
import {
  createFallback,
  createRetryFetch,
  type FallbackRequest,
  type HttpTransport,
  type RetryConfig,
  type RetryEvent,
  RetryTransport,
  outcomeOf,
} from '../../src/index.ts';
import { fakeRuntime, observed, respond, respondError, script, settle, thrownBy, URL_OF_TEST } from '../script.ts';
import { paces, scriptedGate } from '../scripted-gate.ts';

const limited = (): Response => respond(429, { 'retry-after': '5' });

describe('a retry that a gate or a caller can change', () => {
  test('waits for the cooldown from the moment it is reported, not from the response before', async () => {
    const runtime = fakeRuntime();
    const stopIf = (): boolean => {
      runtime.time += 3_000;
      return false;
    };
    const config: RetryConfig = {
      runtime,
      jitter: 'none',
      gate: scriptedGate({ estimate: paces(9_000) }).gate,
      stopIf,
    };
    await createRetryFetch({ fetch: script(runtime, limited, 200), ...config })(URL_OF_TEST);
    expect(runtime.slept).toEqual([9_000]);
  });

  test('waits for a hint from the response on, so that the time of the caller is not waited twice', async () => {
    const runtime = fakeRuntime();
    const stopIf = (): boolean => {
      runtime.time += 3_000;
      return false;
    };
    await createRetryFetch({ fetch: script(runtime, limited, 200), runtime, jitter: 'none', stopIf })(URL_OF_TEST);
    // A millisecond that the clock may not have finished.
    expect(runtime.slept).toEqual([2_001]);
  });

  test.each([
    ['has taken so long that the deadline is over', 6_000, 'deadline'],
    ['has left it some time', 3_000, 'retries-exhausted'],
  ])('is refused if the caller %s', async (_title, tookMs, because) => {
    const runtime = fakeRuntime();
    const stopIf = (): boolean => {
      runtime.time += tookMs;
      return false;
    };
    const config = observed({ runtime, jitter: 'none', maxRetries: 1, maxElapsedMs: 5_500, stopIf });
    expect((await createRetryFetch({ fetch: script(runtime, limited, limited), ...config })(URL_OF_TEST)).status).toBe(
      429,
    );
    expect(config.events.at(-1)).toMatchObject({ type: 'failed', because });
  });

  test('uses the next target even if the gate delays that', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, respondError(400, { message: 'prompt is too long' }), 200);
    const large = createFallback({ targets: [{ name: 'large', kind: 'context', url: 'https://large.example.com/' }] });
    const config = observed({
      runtime,
      jitter: 'none',
      fallback: large,
      gate: scriptedGate({ estimate: paces(2_000) }).gate,
    });
    const request = { method: 'POST', body: '{}' };
    expect((await createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, request)).status).toBe(200);
    expect(inner.calls.map(({ input }) => String(input))).toEqual([URL_OF_TEST, 'https://large.example.com/']);
    expect(config.events.map(({ type }) => type)).toEqual(['fallback', 'retry', 'recovered']);
    expect(config.events[1]).toMatchObject({ because: 'pace', delayMs: 2_000 });
    expect(config.events[2]).toMatchObject({ history: [{ target: 'primary' }, { target: 'large' }] });
  });

  test('names the target of each attempt, the that of the call itself too', async () => {
    const runtime = fakeRuntime();
    const fallback = createFallback({ primary: 'own', targets: [{ name: 'other' }], maxRetriesBeforeFallback: 1 });
    const targets: unknown[] = [];
    const onEvent = (event: RetryEvent): void => void (event.type === 'attempt' && targets.push(event.target));
    await createRetryFetch({ fetch: script(runtime, 529, 529, 200), runtime, fallback, onEvent })(URL_OF_TEST);
    expect(targets).toEqual(['own', 'other']);
  });
});

describe('a first attempt that waits for its turn', () => {
  test('sends the arguments as they were at the call, even if the caller changes its buffer and its headers', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, 200);
    const body = new TextEncoder().encode('first');
    const headers: Record<string, string> = { 'x-call': 'first' };
    const config: RetryConfig = { runtime, gate: scriptedGate({ take: [paces(1_000)] }).gate, maxRetries: 0 };
    const call = createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, { method: 'POST', body, headers });
    body.fill(0);
    headers['x-call'] = 'second';
    await call;
    const init = inner.calls[0]?.init;
    expect(await new Response(init?.body).text()).toBe('first');
    expect(new Headers(init?.headers).get('x-call')).toBe('first');
  });

  test('sends the headers of the call through a transport', async () => {
    const runtime = fakeRuntime();
    const seen: unknown[] = [];
    const inner: HttpTransport = {
      get: async () => respond(200),
      post: async (_url, _body, given) => {
        seen.push(given);
        return respond(200);
      },
    };
    const headers: Record<string, string> = { 'x-call': 'first' };
    const config: RetryConfig = { runtime, gate: scriptedGate({ take: [paces(1_000)] }).gate };
    const call = new RetryTransport(inner, config).post(URL_OF_TEST, {}, headers);
    headers['x-call'] = 'second';
    await call;
    expect(seen).toEqual([{ 'x-call': 'first' }]);
  });
});

describe('a target that is slow to create its request', () => {
  test('does not send it after an abort', async () => {
    const { promise, resolve } = Promise.withResolvers<FallbackRequest>();
    const rewrite = (): Promise<FallbackRequest> => promise;
    const fallback = createFallback({ targets: [{ name: 'slow', rewrite }], maxRetriesBeforeFallback: 0 });
    const runtime = fakeRuntime();
    const abort = new AbortController();
    const inner = script(runtime, 529, 200);
    const request = { method: 'POST', body: '{}', signal: abort.signal };
    const call = createRetryFetch({ fetch: inner, runtime, fallback })(URL_OF_TEST, request);
    await settle();
    abort.abort('enough');
    expect(await thrownBy(call)).toBe('enough');
    resolve({ url: URL_OF_TEST, headers: {}, body: '{}' });
    await settle();
    expect(inner.calls).toHaveLength(1);
  });
});

test('a target that aborts the call while it creates its request does not send it', async () => {
  const abort = new AbortController();
  const rewrite = (request: FallbackRequest): FallbackRequest => {
    abort.abort('enough');
    return request;
  };
  const fallback = createFallback({ targets: [{ name: 'other', rewrite }], maxRetriesBeforeFallback: 0 });
  const runtime = fakeRuntime();
  const inner = script(runtime, 529, 200);
  const request = { method: 'POST', body: '{}', signal: abort.signal };
  expect(await thrownBy(createRetryFetch({ fetch: inner, runtime, fallback })(URL_OF_TEST, request))).toBe('enough');
  await settle();
  expect(inner.calls).toHaveLength(1);
});

test('an attempt whose classification throws is in the history too', async () => {
  const runtime = fakeRuntime();
  const broken = new Error('classify');
  const config = observed({
    runtime,
    classify: () => {
      throw broken;
    },
  });
  expect(await thrownBy(createRetryFetch({ fetch: script(runtime, 503), ...config })(URL_OF_TEST))).toBe(broken);
  expect(outcomeOf(broken)?.history ?? []).toHaveLength(1);
  expect(config.events).toMatchObject([{ type: 'failed', attempts: 1, history: [{ attempt: 1 }] }]);
});
