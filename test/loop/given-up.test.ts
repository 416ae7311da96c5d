import { describe, expect, test } from 'vitest';
import { createRetryFetch, type RetryConfig, type RetryEvent, type Runtime } from '../../src/index.ts';
import { fakeRuntime, respond, script, type Step } from '../script.ts';

const URL_OF_CALL = 'https://api.example.com/v1/chat/completions';

/** A call as the SDKs of OpenAI and Anthropic make it; they number their own retries in a header. */
function client(runtime: Runtime, config: RetryConfig, ...steps: readonly [Step, ...Step[]]) {
  const inner = script(runtime, ...steps);
  const events: RetryEvent[] = [];
  const fetch = createRetryFetch(inner, { runtime, jitter: 'none', onEvent: (event) => events.push(event), ...config });
  const ask = (count: number, body = '{"model":"m"}', init: RequestInit = {}): Promise<Response> =>
    fetch(URL_OF_CALL, {
      method: 'POST',
      body,
      headers: new Headers({ 'x-stainless-retry-count': String(count) }),
      ...init,
    });
  return { inner, events, ask };
}

describe('an SDK that retries a call which was given up', () => {
  test('sends one request for each of its retries, and a fresh set only for a new call', async () => {
    const runtime = fakeRuntime();
    const { inner, ask } = client(runtime, { maxRetries: 2 }, 503);
    await ask(0);
    expect(inner.calls).toHaveLength(3);
    await ask(1);
    expect(inner.calls).toHaveLength(4);
    await ask(2);
    expect(inner.calls).toHaveLength(5);
    await ask(0);
    expect(inner.calls).toHaveLength(8);
  });

  test('gets the answer of its one request', async () => {
    const runtime = fakeRuntime();
    const { inner, ask } = client(runtime, { maxRetries: 1 }, 503, 503, 200);
    expect((await ask(0)).status).toBe(503);
    expect((await ask(1)).status).toBe(200);
    expect(inner.calls).toHaveLength(3);
  });

  test('waits until the moment that the server named, and says so', async () => {
    const runtime = fakeRuntime();
    const { inner, events, ask } = client(
      runtime,
      { maxRetryAfterMs: 10_000 },
      respond(429, { 'retry-after': '20' }),
      200,
    );
    expect((await ask(0)).status).toBe(429);
    runtime.time += 15_000;
    expect((await ask(1)).status).toBe(200);
    expect(runtime.slept).toEqual([5_000]);
    expect(inner.calls).toHaveLength(2);
    expect(events.map(({ type }) => type)).toEqual(['failed', 'delayed', 'attempt']);
    expect(events[1]).toMatchObject({ attempt: 1, delayMs: 5_000, because: 'hint' });
  });

  test('gets the failure again, unsent, while that moment is too far away', async () => {
    const runtime = fakeRuntime();
    const { inner, events, ask } = client(runtime, {}, respond(429, { 'retry-after': '330' }, 'Rate limit reached.'));
    expect((await ask(0)).status).toBe(429);
    const again = await ask(1);
    expect(again.status).toBe(429);
    expect(Date.parse(again.headers.get('retry-after') ?? '')).toBeGreaterThan(runtime.time + 329_000);
    expect(await again.text()).toContain('Rate limit reached');
    expect(inner.calls).toHaveLength(1);
    expect((await ask(2)).status).toBe(429);
    expect(inner.calls).toHaveLength(1);
    // It is one call, and its end was told.
    expect(events.map(({ type }) => type)).toEqual(['failed']);
  });

  test('is free to retry further, and gets the answer as soon as it waits until that moment', async () => {
    const runtime = fakeRuntime();
    const { inner, ask } = client(runtime, {}, respond(429, { 'retry-after': '90' }), 200);
    // The SDK of OpenAI obeys hints below a minute, and until then waits as it likes.
    for (let count = 0; count < 10; count += 1) {
      const response = await ask(count);
      expect(response.headers.get('x-should-retry')).toBeNull();
      if (response.ok) break;
      const named = response.headers.get('retry-after') ?? '';
      const hintMs = /^\d+$/.test(named) ? Number(named) * 1_000 : Date.parse(named) - runtime.time;
      runtime.time += hintMs < 60_000 ? hintMs : 8_000;
    }
    expect(inner.calls).toHaveLength(2);
  });

  test('can be aborted in its wait', async () => {
    const runtime = fakeRuntime();
    const leaving = new AbortController();
    const never: Runtime['sleep'] = () => new Promise(() => {});
    const config = { maxRetryAfterMs: 10_000, runtime: { ...runtime, sleep: never } };
    const { inner, ask } = client(runtime, config, respond(429, { 'retry-after': '20' }));
    await ask(0);
    runtime.time += 15_000;
    const call = ask(1, undefined, { signal: leaving.signal });
    leaving.abort(new Error('left'));
    await expect(call).rejects.toThrow('left');
    expect(inner.calls).toHaveLength(1);
  });

  test('continues a call that ended in an error', async () => {
    const runtime = fakeRuntime();
    const reset = new TypeError('fetch failed', { cause: Object.assign(new Error('read'), { code: 'ECONNRESET' }) });
    const { inner, ask } = client(runtime, { maxRetries: 1 }, reset, reset, reset, 200);
    await expect(ask(0)).rejects.toBe(reset);
    await expect(ask(1)).rejects.toBe(reset);
    expect(inner.calls).toHaveLength(3);
    expect((await ask(2)).status).toBe(200);
  });
});

test.each<[string, number, string]>([
  ['another body', 1, '{"model":"other"}'],
  ['no number', Number.NaN, '{"model":"m"}'],
])('a request with %s is a new call', async (_title, count, body) => {
  const runtime = fakeRuntime();
  const { inner, ask } = client(runtime, { maxRetries: 1 }, 503);
  await ask(0);
  await ask(count, body);
  expect(inner.calls).toHaveLength(4);
});

test('a program without such a header is never remembered', async () => {
  const runtime = fakeRuntime();
  const inner = script(runtime, 503);
  const fetch = createRetryFetch(inner, { runtime, maxRetries: 1 });
  const init = { method: 'POST', body: '{}' };
  await fetch(URL_OF_CALL, init);
  await fetch(URL_OF_CALL, { ...init, headers: { 'x-stainless-retry-count': '1' } });
  expect(inner.calls).toHaveLength(4);
});
