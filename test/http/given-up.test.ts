import { describe, expect, test } from 'vitest';
import { createRetryFetch, type RetryConfig, type RetryEvent, RetryExhaustedError } from '../../src/index.ts';
import { unavailable } from '../gate/failures.ts';
import { GivenUpCalls } from '../../src/http/given-up.ts';
import { fakeRuntime, heldRuntime, respond, script, type Step, thrownBy } from '../script.ts';

const URL_OF_CALL = 'https://api.example.com/v1/chat/completions';

/** An error in spite of its status. */
const IN_BAND = '{"error":{"type":"rate_limit_error","message":"Rate limit reached"}}';

/** A call as the SDKs of OpenAI and Anthropic make it; they number their own retries in a header. */
function client(config: RetryConfig, ...steps: readonly [Step, ...Step[]]) {
  const runtime = fakeRuntime();
  const inner = script(runtime, ...steps);
  const events: RetryEvent[] = [];
  const fetch = createRetryFetch({
    fetch: inner,
    runtime,
    jitter: 'none',
    onEvent: (event) => events.push(event),
    ...config,
  });
  const ask = (count: number, body = '{"model":"m"}', init: RequestInit = {}): Promise<Response> =>
    fetch(URL_OF_CALL, {
      method: 'POST',
      body,
      headers: new Headers({ 'x-stainless-retry-count': String(count) }),
      ...init,
    });
  return { runtime, inner, events, ask };
}

describe('an SDK that retries a call which was given up', () => {
  test('sends one request for each of its retries, and a fresh set only for a new call', async () => {
    const { inner, ask } = client({ maxRetries: 2 }, 503);
    await ask(0);
    expect(inner.calls).toHaveLength(3);
    await ask(1);
    expect(inner.calls).toHaveLength(4);
    await ask(2);
    expect(inner.calls).toHaveLength(5);
    await ask(0);
    expect(inner.calls).toHaveLength(8);
  });

  test.each([
    ['its repeat has', 1, 200, 5],
    ['a new call with the same content has', 0, 200, 5],
    [
      'no call has, because the answer was an error with the status 200',
      1,
      respond(200, { 'content-type': 'application/json' }, IN_BAND),
      4,
    ],
  ] as const)('begins anew after %s succeeded', async (_what, count, answer, requests) => {
    const { inner, ask } = client({ maxRetries: 1 }, 503, 503, answer, 503);
    await ask(0);
    await ask(count);
    expect(inner.calls).toHaveLength(3);
    await ask(1);
    expect(inner.calls).toHaveLength(requests);
  });

  test('waits until the moment that the server named, and says so', async () => {
    const { runtime, inner, events, ask } = client(
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

  test('waits out what was left of the wait in which it ended the call before', async () => {
    const runtime = heldRuntime();
    const { inner, events, ask } = client({ runtime }, respond(429, { 'retry-after': '50' }), 200);
    const ending = new AbortController();
    const first = thrownBy(ask(0, undefined, { signal: ending.signal }));
    await runtime.untilWaiting();
    ending.abort('the time limit of the SDK');
    expect(await first).toBe('the time limit of the SDK');
    const until = runtime.time + (runtime.waits[0]?.ms ?? 0);
    runtime.time += 10_000;
    const waits = runtime.waits.length;
    const second = ask(1);
    while (runtime.waits.length === waits) await runtime.untilWaiting();
    expect(runtime.time + (runtime.waits.at(-1)?.ms ?? 0)).toBe(until);
    expect(inner.calls).toHaveLength(1);
    runtime.waits.at(-1)?.end();
    expect((await second).status).toBe(200);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'cancelled', 'delayed', 'attempt']);
  });

  test('gets the failure again, unsent, while that moment is too far away', async () => {
    const { runtime, inner, events, ask } = client({}, respond(429, { 'retry-after': '330' }, 'Rate limit reached.'));
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
    const { runtime, inner, ask } = client({}, respond(429, { 'retry-after': '90' }), 200);
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
    const runtime = heldRuntime();
    const leaving = new AbortController();
    const config = { maxRetryAfterMs: 10_000, runtime };
    const { inner, ask } = client(config, respond(429, { 'retry-after': '20' }));
    await ask(0);
    runtime.time += 15_000;
    const call = ask(1, undefined, { signal: leaving.signal });
    leaving.abort(new Error('left'));
    await expect(call).rejects.toThrow('left');
    expect(inner.calls).toHaveLength(1);
  });

  test('continues a call that ended in an error', async () => {
    const reset = new TypeError('fetch failed', { cause: Object.assign(new Error('read'), { code: 'ECONNRESET' }) });
    const { inner, ask } = client({ maxRetries: 1 }, reset, reset, reset, 200);
    await expect(ask(0)).rejects.toBe(reset);
    await expect(ask(1)).rejects.toBe(reset);
    expect(inner.calls).toHaveLength(3);
    expect((await ask(2)).status).toBe(200);
  });
});

test.each<[string, (count: number) => Record<string, string>]>([
  [
    'signed anew',
    (count) => ({
      authorization: `AWS4-HMAC-SHA256 Credential=AKID/20261128/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=${count}`,
      'x-amz-date': `20261128T10000${count}Z`,
    }),
  ],
  [
    'traced anew',
    (count) => ({ traceparent: `00-${count}`, 'x-request-id': `r${count}`, 'idempotency-key': `${count}` }),
  ],
])('a repeat that is %s is known', async (_how, headers) => {
  const { inner, ask } = client({ maxRetries: 1 }, 503);
  await ask(0, '{}', { headers: counted(0, headers(0)) });
  await ask(1, '{}', { headers: counted(1, headers(1)) });
  expect(inner.calls).toHaveLength(3);
});

test.each<[string, number, string]>([
  ['another body', 1, '{"model":"other"}'],
  ['no number', Number.NaN, '{"model":"m"}'],
])('a request with %s is a new call', async (_title, count, body) => {
  const { inner, ask } = client({ maxRetries: 1 }, 503);
  await ask(0);
  await ask(count, body);
  expect(inner.calls).toHaveLength(4);
});

test('a program without such a header is never remembered', async () => {
  const runtime = fakeRuntime();
  const inner = script(runtime, 503);
  const fetch = createRetryFetch({ fetch: inner, runtime, maxRetries: 1 });
  const init = { method: 'POST', body: '{}' };
  await fetch(URL_OF_CALL, init);
  await fetch(URL_OF_CALL, { ...init, headers: { 'x-stainless-retry-count': '1' } });
  expect(inner.calls).toHaveLength(4);
});

const LONG = respond(
  429,
  { 'retry-after': '330', 'x-request-id': 'r1' },
  '{"error":{"message":"Rate limit reached."}}',
);
const counted = (count: number, headers: Record<string, string> = {}): Record<string, string> => ({
  'x-stainless-retry-count': String(count),
  ...headers,
});

describe('what was given up comes back as it was', () => {
  test('a response with its status, its headers and its body', async () => {
    const { inner, ask } = client({}, LONG);
    await (await ask(0)).text();
    const again = await ask(1);
    expect([again.status, again.headers.get('x-request-id')]).toEqual([429, 'r1']);
    expect(await again.json()).toEqual({ error: { message: 'Rate limit reached.' } });
    expect(inner.calls).toHaveLength(1);
  });

  test.each([
    [
      'a JSON body',
      'application/json',
      '{"error":{"type":"rate_limit_error","message":"Rate limit reached, try again in 330s"}}',
    ],
    [
      'a stream',
      'text/event-stream',
      'data: {"error":{"type":"rate_limit_error","message":"Rate limit reached, try again in 330s"}}\n\n',
    ],
  ])('a failure in %s of a success as an error, never as a success', async (_what, type, body) => {
    const { inner, ask } = client({}, respond(200, { 'content-type': type }, body));
    expect((await ask(0)).status).toBe(200);
    const again = await ask(1);
    expect([again.status, again.ok]).toEqual([429, false]);
    expect(await again.text()).toContain('Rate limit reached');
    expect(inner.calls).toHaveLength(1);
  });

  test('an error of the inner fetch as the same object', async () => {
    const error = Object.assign(new Error('429 Too Many Requests'), { status: 429, headers: { 'retry-after': '330' } });
    const { inner, ask } = client({}, error);
    await expect(ask(0)).rejects.toBe(error);
    await expect(ask(1)).rejects.toBe(error);
    expect(inner.calls).toHaveLength(1);
  });

  test('as an error where the call ends in one', async () => {
    const { runtime, inner, ask } = client({ exhausted: 'throw' }, LONG);
    await expect(ask(0)).rejects.toBeInstanceOf(RetryExhaustedError);
    const error = await ask(1).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ because: 'retry-after-too-long', attempts: 1, possibleAt: runtime.time + 330_000 });
    expect(error instanceof RetryExhaustedError && (await error.response.json())).toMatchObject({ error: {} });
    expect(inner.calls).toHaveLength(1);
  });

  test('through a copy of the fetch with other options', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, LONG);
    const fetch = createRetryFetch({ fetch: inner, runtime });
    await fetch(URL_OF_CALL, { method: 'POST', body: '{}', headers: counted(0) });
    await fetch.with({ maxRetries: 1 })(URL_OF_CALL, { method: 'POST', body: '{}', headers: counted(1) });
    expect(inner.calls).toHaveLength(1);
  });
});

describe('two callers never share what was given up', () => {
  test.each([
    ...['authorization', 'x-api-key', 'openai-project', 'openai-organization', 'x-goog-user-project'],
    ...['x-portkey-provider', 'anthropic-workspace-id'],
  ])('with another %s', async (name) => {
    const { inner, ask } = client({}, LONG, 200);
    const as = (count: number, value: string): Promise<Response> =>
      ask(count, '{}', { headers: counted(count, { [name]: value }) });
    expect((await as(0, 'one')).status).toBe(429);
    expect((await as(1, 'two')).status).toBe(200);
    expect((await as(1, 'one')).status).toBe(429);
    expect(inner.calls).toHaveLength(2);
  });

  test('of another method or URL', async () => {
    const { inner, ask } = client({}, LONG, 200);
    await ask(0);
    expect((await ask(1, undefined, { method: 'PUT' })).status).toBe(200);
    expect(inner.calls).toHaveLength(2);
  });
});

describe('a body', () => {
  const form = (text: string): FormData => {
    const made = new FormData();
    made.set('file', text);
    return made;
  };
  const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

  test.each<[string, () => BodyInit]>([
    ['a form', () => form('same')],
    ['a Blob', () => new Blob(['same'])],
    ['a stream', () => new Blob(['same']).stream()],
  ])('that is %s is another one than every other', async (_what, make) => {
    const { inner, ask } = client({}, LONG, 200);
    const post = (count: number, body: BodyInit): Promise<Response> =>
      ask(count, '', { body, duplex: 'half' } as RequestInit);
    const first = make();
    expect((await post(0, first)).status).toBe(429);
    expect((await post(1, make())).status).toBe(200);
    expect(inner.calls).toHaveLength(2);
    expect((await post(1, first)).status).toBe(429);
    expect(inner.calls).toHaveLength(2);
  });

  test.each<[string, (text: string) => BodyInit]>([
    ['bytes', bytes],
    ['a buffer', (text) => bytes(text).buffer],
    ['parameters', (text) => new URLSearchParams({ text })],
  ])('that is %s is told by what it contains', async (_what, make) => {
    const { inner, ask } = client({}, LONG, 200);
    const post = (count: number, text: string): Promise<Response> => ask(count, '', { body: make(text) });
    expect((await post(0, 'one')).status).toBe(429);
    expect((await post(1, 'one')).status).toBe(429);
    expect(inner.calls).toHaveLength(1);
    expect((await post(1, 'two')).status).toBe(200);
  });

  test('of a Request is its own', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, LONG, 200);
    const fetch = createRetryFetch({ fetch: inner, runtime });
    const request = (count: number, body: string): Request =>
      new Request(URL_OF_CALL, { method: 'POST', body, headers: counted(count) });
    expect((await fetch(request(0, 'one'))).status).toBe(429);
    expect((await fetch(request(1, 'two'))).status).toBe(200);
  });
});

describe('a call that was given up is forgotten', () => {
  test.each([
    ['after 15 s, if no time was named', respond(503), 14_999, 15_000],
    ['at the named time', LONG, 329_999, 330_000],
    ['after 15 s, if a shorter time was named', respond(429, { 'retry-after': '1' }), 14_999, 15_000],
  ])('%s, and not before', async (_when, step, beforeMs, atMs) => {
    for (const [afterMs, sent] of [
      [beforeMs, 1],
      [atMs, 3],
    ] as const) {
      let answer = step;
      const { runtime, inner, ask } = client({ maxRetries: 2, maxRetryAfterMs: 1_000 }, () => answer.clone());
      await ask(0);
      const before = inner.calls.length;
      answer = respond(503);
      runtime.time += afterMs;
      await ask(1);
      expect(inner.calls.length - before).toBe(sent);
    }
  });

  test('when the clock was set back to a time before it', async () => {
    const { runtime, inner, ask } = client({}, LONG, 200);
    await ask(0);
    runtime.time -= 3_600_000;
    expect((await ask(1)).status).toBe(200);
    expect([inner.calls.length, runtime.slept]).toEqual([2, []]);
  });

  test('when its time is over and any other call is made', () => {
    let nowMs = 1_000;
    const calls = new GivenUpCalls({ now: () => nowMs });
    const sent = { method: 'POST', url: URL_OF_CALL, headers: counted(0), body: '{}' };
    calls.remember(sent, { failure: unavailable, failed: undefined, history: [], notBefore: 0 });
    nowMs += 14_999;
    calls.before({ ...sent, headers: {} }, false);
    expect(calls.isEmpty).toBe(false);
    nowMs += 1;
    calls.before({ ...sent, headers: {} }, false);
    expect(calls.isEmpty).toBe(true);
  });

  test('if a hundred others were given up since', async () => {
    const { inner, ask } = client({}, LONG);
    for (let index = 0; index <= 100; index += 1) await ask(0, String(index));
    expect(inner.calls).toHaveLength(101);
    await ask(1, '1');
    expect(inner.calls).toHaveLength(101);
    await ask(1, '0');
    expect(inner.calls).toHaveLength(102);
  });

  test('if the others have large bodies, after fewer of them', async () => {
    const large = respond(429, { 'retry-after': '330' }, 'x'.repeat(60_000));
    const { inner, ask } = client({}, large);
    for (let index = 0; index < 18; index += 1) await (await ask(0, String(index))).text();
    await new Promise((resolve) => setImmediate(resolve));
    await ask(1, '17');
    expect(inner.calls).toHaveLength(18);
    await ask(1, '0');
    expect(inner.calls).toHaveLength(19);
  });
});
