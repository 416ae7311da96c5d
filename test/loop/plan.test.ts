import { describe, expect, test } from 'vitest';
import { createRetryFetch, type HttpTransport, type RetryConfig, RetryTransport, outcomeOf } from '../../src/index.ts';
import { fakeRuntime, observed, respond, script, thrownBy, URL_OF_TEST } from '../script.ts';
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
