import { describe, expect, test } from 'vitest';
import { createRetryFetch, type HttpTransport, type RetryConfig, RetryTransport } from '../../src/index.ts';
import { fakeRuntime, type FakeRuntime, observed, respond, script, URL_OF_TEST } from '../script.ts';
import { paces, scriptedGate } from '../scripted-gate.ts';

const limited = (): Response => respond(429, { 'retry-after': '5' });
const taking = (ms: number, runtime: FakeRuntime) => (): boolean => {
  runtime.time += ms;
  return false;
};

describe('a retry that a gate or a caller can change', () => {
  test('waits for the cooldown from the moment it is reported, not from the response before', async () => {
    const runtime = fakeRuntime();
    const stopIf = taking(3_000, runtime);
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
    const stopIf = taking(3_000, runtime);
    await createRetryFetch({ fetch: script(runtime, limited, 200), runtime, jitter: 'none', stopIf })(URL_OF_TEST);
    // A millisecond that the clock may not have finished.
    expect(runtime.slept).toEqual([2_001]);
  });

  test.each([
    ['has taken so long that the deadline is over', 6_000, 'deadline'],
    ['has left it some time', 3_000, 'retries-exhausted'],
  ])('is refused if the caller %s', async (_title, tookMs, because) => {
    const runtime = fakeRuntime();
    const stopIf = taking(tookMs, runtime);
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
