import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRetryFetch, type RetryConfig, type Runtime } from '../../src/index.ts';
import { fakeRuntime, hangingBody, observed, respond, script, settle, URL_OF_TEST } from '../script.ts';
import { fetched, scripted } from '../scripted-call.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a wait counts from the response head', () => {
  test('so that reading a slow body is part of it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const runtime = fakeRuntime();
    const { body } = hangingBody();
    const { events, ...config } = observed({ runtime, jitter: 'none' });
    const call = createRetryFetch({ fetch: script(runtime, () => respond(503, {}, body), 200), ...config })(
      URL_OF_TEST,
    );
    await settle();
    runtime.time += 250;
    await vi.advanceTimersByTimeAsync(250);
    await call;
    // One millisecond of those that seem to have passed may not have.
    expect(runtime.slept).toEqual([751]);
    expect(events[0]).toMatchObject({ delayMs: 1_000 });
  });
});

test.each([0, 0.2, 0.4, 0.6, 0.8])(
  'a retry is not sent before the time of its hint by a clock that counts whole milliseconds, %d after one',
  async (start) => {
    let time = 1_000 + start;
    const sentAt: number[] = [];
    const runtime = {
      // Each reading takes a while.
      now: () => Math.floor((time += 0.15)),
      monotonic: () => time,
      random: () => 0,
      sleep: async (ms: number) => void (time += ms),
    };
    const inner = async (): Promise<Response> => {
      sentAt.push(time);
      return sentAt.length === 1 ? respond(429, { 'retry-after-ms': '7' }) : respond(200);
    };
    await createRetryFetch({ fetch: inner, runtime, jitter: 'none' })(URL_OF_TEST);
    const [first = 0, second = 0] = sentAt;
    expect(second - first).toBeGreaterThanOrEqual(7);
  },
);

test('a sleep that returns nothing ends the wait at once, with and without a signal', async () => {
  // @ts-expect-error -- callers in JavaScript
  const runtime: Runtime = { ...fakeRuntime(), sleep: () => {} };
  for (const init of [{}, { signal: new AbortController().signal }]) {
    const response = await createRetryFetch({ fetch: script(runtime, 503, 200), runtime })(URL_OF_TEST, init);
    expect(response.status).toBe(200);
  }
});

describe('hints', () => {
  test.each<[string, Record<string, string>, RetryConfig, readonly number[]]>([
    ['retry-after-ms first', { 'retry-after-ms': '1500', 'retry-after': '7' }, {}, [1_500]],
    ['retry-after 0 at once', { 'retry-after': '0' }, {}, [0]],
    ['clamped', { 'retry-after': '7' }, { retryAfter: 'clamp', maxDelayMs: 2_000 }, [2_000]],
    ['ignored', { 'retry-after': '7' }, { retryAfter: 'ignore' }, [1_000]],
    ['unreadable, so our own wait', { 'retry-after': '12abc' }, {}, [1_000]],
    ['negative, so our own wait', { 'retry-after': '-5' }, {}, [1_000]],
  ])('are waited for as the options say: %s', async (_title, headers, config, slept) => {
    const { call, slept: waits } = scripted(config, respond(429, headers), 200);
    await call();
    expect(waits).toEqual(slept);
  });

  test('of 0 cost a retry each, and only the first is believed', async () => {
    const { call, inner, slept } = scripted({}, respond(429, { 'retry-after': '0' }));
    await call();
    expect([inner.calls.length, slept]).toEqual([4, [0, 2_000, 4_000]]);
  });

  test('are believed once in a call, also after failures without one', async () => {
    const short = respond(429, { 'retry-after-ms': '28' });
    const { call, slept } = scripted({ jitter: 'none' }, 503, short, short, 200);
    await call();
    expect(slept).toEqual([1_000, 28, 4_000]);
  });

  test.each(['2592000', '1000000000'])(
    'of %s s lead to one request and a readable 429, and say when it would be possible',
    async (seconds) => {
      const { events, ...config } = observed();
      const { call, inner, slept } = scripted(config, fetched(429, 'slow down', { 'retry-after': seconds }));
      const response = await call();
      expect([response.status, await response.text(), inner.calls.length, slept]).toEqual([429, 'slow down', 1, []]);
      expect(events).toMatchObject([{ type: 'failed', because: 'retry-after-too-long' }]);
      expect(events[0]).toHaveProperty('possibleAt', (inner.calls[0]?.at ?? 0) + Number(seconds) * 1_000);
    },
  );
});

describe('a used-up quota that renews at a known moment', () => {
  const AT = 1_800_009_000;

  test.each<readonly [where: string, headers: Record<string, string>, body: unknown]>([
    ['in a header', { 'anthropic-ratelimit-unified-reset': String(AT) }, { error: { type: 'rate_limit_error' } }],
    [
      'in a header of an answer without a body',
      { 'anthropic-ratelimit-unified-reset': String(AT), 'anthropic-ratelimit-unified-status': 'rejected' },
      undefined,
    ],
    ['behind its message', {}, { error: { message: `Claude AI usage limit reached|${AT}` } }],
    ['as a time of the day', {}, { error: { message: "You've hit your limit · resets 5:30am (America/New_York)" } }],
    ['as a time in UTC', {}, { error: { message: 'Quota exceeded. Resets at 10:30 UTC' } }],
    ['in a field', {}, { error: { type: 'usage_limit_reached', resets_in_seconds: 9_000 } }],
  ])('is not asked again, and says when, if that is %s', async (_where, headers, body) => {
    const { events, ...config } = observed();
    const runtime = fakeRuntime();
    runtime.time = (AT - 9_000) * 1_000;
    const inner = script(runtime, respond(429, headers, body === undefined ? null : JSON.stringify(body)));
    await createRetryFetch({ fetch: inner, ...config, runtime })(URL_OF_TEST);
    expect(inner.calls).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'failed', failure: { type: 'quota_exhausted', retryable: false } }]);
    expect(events[0]).toHaveProperty('possibleAt', AT * 1_000);
  });
});

describe('limits', () => {
  test('on the total count every wait', async () => {
    const steady: RetryConfig = { backoffMultiplier: 1, maxTotalDelayMs: 3_500, maxRetries: 10 };
    const { call, slept } = scripted(steady, 503, respond(429, { 'retry-after': '1' }), 503);
    await call();
    expect(slept).toEqual([1_000, 1_000, 1_000]);
  });

  test('on the time since the first attempt are inclusive and include the attempts', async () => {
    const runtime = fakeRuntime();
    const slow = (): Response => {
      runtime.time += 500;
      return respond(503);
    };
    const { events, ...config } = observed({ runtime, jitter: 'none', maxElapsedMs: 4_000, maxRetries: 10 });
    await createRetryFetch({ fetch: script(runtime, slow), ...config })(URL_OF_TEST);
    expect(runtime.slept).toEqual([1_000, 2_000]);
    expect(events.at(-1)).toMatchObject({ type: 'failed', because: 'deadline', elapsedMs: 4_500 });
  });

  test('do not cut an attempt in flight', async () => {
    const runtime = fakeRuntime();
    const slow = (status: number) => () => {
      runtime.time += 3_000;
      return respond(status);
    };
    const inner = script(runtime, slow(503), slow(200));
    const response = await createRetryFetch({ fetch: inner, runtime, jitter: 'none', maxElapsedMs: 4_000 })(
      URL_OF_TEST,
    );
    expect(response.status).toBe(200);
  });
});
