import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDice } from '../../bench/dice.ts';
import { VirtualTime } from '../../bench/virtual-time.ts';
import { createGate } from '../../src/route/create-gate.ts';
import type { GateEvent } from '../../src/gate/gate-event.ts';
import type { GateOptions } from '../../src/gate/gate-options.ts';
import { GateRefusedError } from '../../src/gate/gate-refused-error.ts';
import {
  createRetryFetch,
  presets,
  RetryController,
  type RetryConfig,
  type RetryEvent,
  withRetry,
} from '../../src/index.ts';
import {
  concurrency,
  fixedWindow,
  type Limiter,
  slidingCounter,
  slidingWindow,
  tokenBucket,
} from '../../bench/limiters/limiters.ts';
import { systemRuntime } from '../../src/runtime/runtime.ts';
import { runBatch } from './batch.ts';
import { REQUEST, waitOf } from './sessions.ts';
import { openSession } from '../../src/gate/open-gate.ts';

const CALLS = 500;

describe.each<{ kind: string; limiters: () => readonly Limiter[] }>([
  { kind: 'a window of the clock', limiters: () => [fixedWindow(5, 1_000)] },
  { kind: 'a sliding window', limiters: () => [slidingWindow(5, 1_000)] },
  { kind: 'a bucket of five', limiters: () => [tokenBucket(5, 5)] },
  { kind: 'a bucket of one', limiters: () => [tokenBucket(5, 1)] },
  { kind: 'windows of a minute and of a second', limiters: () => [fixedWindow(300, 60_000), fixedWindow(5, 1_000)] },
  { kind: 'a sliding minute', limiters: () => [slidingWindow(300, 60_000)] },
])('500 calls at once under $kind, with 5 a second or 300 a minute', ({ limiters }) => {
  test.each([{ requestsPerSecond: 5 }, { requestsPerMinute: 300 }])(
    'and %o stated: none is refused',
    async (limits) => {
      const { answered, refused, elapsedMs } = await runBatch({ calls: CALLS, limits, limiters });
      expect({ answered, refused }).toEqual({ answered: CALLS, refused: 0 });
      expect(elapsedMs).toBeLessThanOrEqual((1.05 * CALLS * 1_000) / 5);
    },
  );
});

describe('requests that are refused although the limit was kept are sent further apart', () => {
  const nginx = (): Limiter => ({ ...tokenBucket(5, 1), status: 503 });
  test.each<{ why: string; limiter: () => Limiter; networkMs: number; mostRefused: number; longest: number }>([
    {
      why: 'up to 20 ms of the network',
      limiter: () => tokenBucket(5, 1),
      networkMs: 20,
      mostRefused: 35,
      longest: 1.2,
    },
    {
      why: 'up to 80 ms of the network',
      limiter: () => tokenBucket(5, 1),
      networkMs: 80,
      mostRefused: 45,
      longest: 1.4,
    },
    { why: 'up to 20 ms, and a 503', limiter: nginx, networkMs: 20, mostRefused: 35, longest: 1.2 },
    {
      why: 'up to 80 ms, and a window',
      limiter: () => slidingWindow(5, 1_000),
      networkMs: 80,
      mostRefused: 35,
      longest: 1.15,
    },
    { why: 'an approximation', limiter: () => slidingCounter(5, 1_000), networkMs: 3, mostRefused: 35, longest: 1.3 },
  ])('hardly any is refused, and all are answered soon: $why', async ({ limiter, networkMs, mostRefused, longest }) => {
    const limits = { requestsPerSecond: 5 };
    const result = await runBatch({ calls: CALLS, limits, limiters: () => [limiter()], networkMs });
    expect(result.answered).toBe(CALLS);
    expect(result.refused).toBeLessThanOrEqual(mostRefused);
    expect(result.elapsedMs).toBeLessThanOrEqual((longest * CALLS * 1_000) / 5);
  });
});

describe('the real clock', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test.each([
    { busyMs: 60, waitMs: 60 + 101.5 },
    { busyMs: 2, waitMs: 101.5 },
  ])(
    'a request that an event loop of $busyMs ms delays is followed by the next one $waitMs ms after it was sent',
    ({ busyMs, waitMs }) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const clock = vi.spyOn(performance, 'now').mockReturnValue(10_000);
      const gate = createGate({ limits: { requestsPerSecond: 10 } });
      const session = () => openSession(gate, REQUEST, { runtime: systemRuntime });
      expect(waitOf(session().take(10_000, null))).toBe(0);
      clock.mockReturnValue(10_000 + busyMs);
      vi.advanceTimersByTime(1);
      expect(waitOf(session().take(10_000 + busyMs, null))).toBeCloseTo(waitMs - busyMs);
    },
  );
});

describe('a stated limit, and what the server announces', () => {
  const runtime = { now: () => 0, random: () => 0.5 };
  const request = { url: 'https://api.example.com/v1/messages' };
  /** How long a call waits after a response that announces so many requests for ten seconds. */
  const waitAfter = (remaining: number): number => {
    const gate = createGate({ announced: true, limits: { requestsPerSecond: 6 } });
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': '10',
    };
    const first = openSession(gate, request, { runtime });
    void first.take(0, null);
    first.report(100, { type: 'success', headers });
    const answer = openSession(gate, request, { runtime }).take(1_000, null);
    if (answer instanceof Promise || (!answer.go && answer.refused !== null)) throw new Error('Expected a wait.');
    return answer.go ? 0 : answer.waitMs;
  };

  test('little that is left slows no call down, because the stated pace keeps calls apart', () => {
    expect(waitAfter(1)).toBe(0);
  });

  test('a call waits if nothing is left, because it would be refused', () => {
    expect(waitAfter(0)).toBeGreaterThan(9_000);
  });
});

describe('tokens by an estimate', () => {
  const limits = { tokensPerMinute: 60_000 };
  test.each([
    { of: 'the truth', estimate: 200, mostRefused: 0, longest: 1.05 },
    { of: 'twice the truth', estimate: 400, mostRefused: 0, longest: 2.1 },
    { of: 'half the truth', estimate: 100, mostRefused: 5, longest: 1.6 },
  ])('of $of', async ({ estimate, mostRefused, longest }) => {
    for (const limiter of [tokenBucket(1_000, 60_000), tokenBucket(1_000, 10_000), fixedWindow(60_000, 60_000)]) {
      const result = await runBatch({ calls: CALLS, limits, limiters: () => [limiter], cost: 200, estimate });
      expect(result.answered).toBe(CALLS);
      expect(result.refused).toBeLessThanOrEqual(mostRefused);
      expect(result.elapsedMs).toBeLessThanOrEqual((longest * CALLS * 200) / 1);
    }
  });
});

describe('requests at a time', () => {
  test.each([1, 4])('%i: none is refused, and no slot stays free', async (concurrent) => {
    const limiters = (): Limiter[] => [concurrency(concurrent)];
    const result = await runBatch({ calls: 200, limits: { concurrent }, limiters });
    expect(result).toMatchObject({ answered: 200, refused: 0 });
    expect(result.elapsedMs).toBeLessThanOrEqual((1.05 * 200 * 203) / concurrent);
  });
});

const START_MS = 1_800_000_000_000;
const URL = 'https://api.example.com/v1/messages';

/** Lets time pass, from the first reactions to what the test has just done. */
async function until(time: VirtualTime, ms: number): Promise<void> {
  await new Promise(setImmediate);
  await time.runUntil(START_MS + ms);
}

/** Calls by name through one gate, and when each was sent. */
function calls(options: GateOptions, answer: (name: string) => Response = () => new Response('{}')) {
  const time = new VirtualTime(START_MS);
  const events: GateEvent[] = [];
  const sent: [name: string, atMs: number][] = [];
  const gate = createGate({ ...options, onEvent: (event) => events.push(event) });
  const fetch = createRetryFetch({
    fetch: async (_, init) => {
      const name = String(init?.body);
      sent.push([name, Math.round(time.nowMs - START_MS)]);
      return answer(name);
    },
    gate,
    runtime: time.runtime(() => 0.5),
  });
  const call = (body: string, config: RetryConfig = {}, init: RequestInit = {}): Promise<Response> =>
    fetch.with(config)(URL, { method: 'POST', body, ...init });
  return { time, gate, events, sent, call, names: (): readonly string[] => sent.map(([name]) => name) };
}

describe('the queue of a stated limit', () => {
  test('sends in the order of the calls, evenly spaced, and tells each its moment once', async () => {
    const { time, sent, call, gate } = calls({ limits: { requestsPerSecond: 1 } });
    const told: RetryEvent[] = [];
    for (const name of ['a', 'b', 'c']) void call(name, { onEvent: (event) => told.push(event) });
    expect(gate.waiting).toBe(2);
    expect(gate.readings(START_MS).map(({ waiting }) => waiting)).toEqual([2]);
    await until(time, 10_000);
    expect(sent).toEqual([
      ['a', 0],
      ['b', 1_015],
      ['c', 2_040],
    ]);
    const delayed = told.filter(({ type }) => type === 'delayed');
    expect(delayed).toMatchObject([
      { delayMs: 1_015, because: 'pace', attempt: 1 },
      { delayMs: 2_040, because: 'pace' },
    ]);
    expect(gate.waiting).toBe(0);
  });

  test('sends a call that was refused before those that were never sent', async () => {
    let refusals = 1;
    const refuseOnce = (): Response => new Response(null, { status: (refusals -= 1) < 0 ? 200 : 429 });
    const { time, call, names } = calls({ limits: { requestsPerSecond: 1 } }, refuseOnce);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) void call(name, { baseDelayMs: 1_500, jitter: 'none' });
    await until(time, 20_000);
    expect(names()).toEqual(['a', 'b', 'a', 'c', 'd', 'e', 'f']);
  });

  test('waits whatever maxRetryAfterMs and maxTotalDelayMs are, but not past maxElapsedMs', async () => {
    const { time, call, names } = calls({ limits: { requestsPerMinute: 1 } });
    const short = { maxRetryAfterMs: 10, maxTotalDelayMs: 10 };
    void call('a', short);
    void call('b', short);
    const ended = call('c', { maxElapsedMs: 60_000 }).catch((error: unknown) => error);
    await until(time, 100_000);
    expect(names()).toEqual(['a', 'b']);
    expect(await ended).toBeInstanceOf(GateRefusedError);
  });

  test('lets the others move up when calls are aborted', async () => {
    const { time, sent, call } = calls({ limits: { requestsPerSecond: 1 } });
    const abort = new AbortController();
    void call('a');
    for (let count = 0; count < 50; count += 1) void call('aborted', {}, { signal: abort.signal }).catch(() => {});
    void call('b');
    void call('c');
    time.in(500, () => abort.abort());
    await until(time, 10_000);
    expect(sent).toEqual([
      ['a', 0],
      ['b', 1_015],
      ['c', 2_030],
    ]);
  });

  test('sends batch calls after the others, and one of them for nineteen others', async () => {
    const { time, call, names } = calls({ limits: { requestsPerSecond: 1 } });
    void call('first');
    for (const name of ['batch 1', 'batch 2']) void call(name, { priority: 'batch' });
    for (let count = 1; count <= 30; count += 1) void call(`${count}`);
    await until(time, 60_000);
    expect(names().indexOf('batch 1')).toBe(20);
    expect(names().at(-1)).toBe('batch 2');
  });

  test('is full at maxWaiting', async () => {
    const { time, call } = calls({ limits: { requestsPerSecond: 1 }, maxWaiting: 1 });
    void call('a');
    void call('b');
    const refused = call('c').catch((error: unknown) => error);
    await until(time, 100);
    expect(await refused).toMatchObject({ because: 'too-many-waiting' });
  });

  test('sends a call at once after retryNow, and counts it', async () => {
    const controller = new RetryController();
    const { time, call, sent } = calls({ limits: { requestsPerMinute: 1 } });
    void call('a');
    void call('b', { controller });
    void call('c');
    time.in(1_000, () => controller.retryNow());
    await until(time, 200_000);
    expect(sent.slice(0, 2)).toEqual([
      ['a', 0],
      ['b', 1_000],
    ]);
    expect(sent[2]?.[1]).toBeGreaterThan(120_000);
  });

  test('counts all models of a credential together', async () => {
    const { time, call, sent } = calls({ limits: { requestsPerSecond: 1 } });
    void call('{"model":"one"}');
    void call('{"model":"two"}');
    await until(time, 5_000);
    expect(sent.map(([, atMs]) => atMs)).toEqual([0, 1_015]);
  });

  test('is kept by key where that is set', async () => {
    const { time, call, sent } = calls({ limits: { requestsPerSecond: 1 }, key: 'model' });
    void call('{"model":"one"}');
    void call('{"model":"two"}');
    await until(time, 5_000);
    expect(sent.map(([, atMs]) => atMs)).toEqual([0, 0]);
  });

  test('sends a burst at once where that is stated', async () => {
    const { time, call, sent } = calls({ limits: { requestsPerSecond: 1, burst: 3 } });
    for (const name of ['a', 'b', 'c', 'd']) void call(name);
    await until(time, 5_000);
    expect(sent.map(([, atMs]) => atMs)).toEqual([0, 0, 0, 1_015]);
  });

  test('never spaces the requests of a day, and sends the next one a day after the first', async () => {
    const { time, call, sent } = calls({ limits: { requestsPerDay: 3 } });
    for (const name of ['a', 'b', 'c', 'd']) void call(name);
    await until(time, 100_000_000);
    expect(sent.slice(0, 3).map(([, atMs]) => atMs)).toEqual([0, 0, 0]);
    expect(sent[3]?.[1]).toBeGreaterThanOrEqual(86_400_000);
    expect(sent[3]?.[1]).toBeLessThanOrEqual(86_400_000 + 600_000);
  });
});

describe('a concurrency slot', () => {
  const stream = (): Response => new Response(new ReadableStream({}, { highWaterMark: 0 }));

  test('is named after 30 seconds, and free for others a minute after the caller has read last', async () => {
    const { time, call, names, events } = calls({ limits: { concurrent: 1 } }, stream);
    const unread = await call('a');
    void call('b');
    await until(time, 59_000);
    expect(names()).toEqual(['a']);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'slots-held',
        holders: [{ url: URL, heldMs: expect.any(Number), state: 'unread' }],
      }),
    );
    await until(time, 125_000);
    expect(names()).toEqual(['a', 'b']);
    expect(unread.bodyUsed).toBe(false);
  });

  test('is not waited for by a call from within the call that holds the last one', async () => {
    const time = new VirtualTime(START_MS);
    const runtime = time.runtime(() => 0.5);
    const config = { gate: createGate({ limits: { concurrent: 1 } }), gateKey: 'agent', runtime };
    const nested = await withRetry(async () => {
      await Promise.resolve();
      return withRetry(() => 'never sent', config).catch((error: unknown) => error);
    }, config);
    expect(nested).toBeInstanceOf(GateRefusedError);
    expect(String(nested)).toMatch(/from within a call that holds the last slot/);
    expect(await withRetry(() => 'sent', config)).toBe('sent');
  });

  test('is waited for from within a call while another call will free one', async () => {
    const time = new VirtualTime(START_MS);
    const runtime = time.runtime(() => 0.5);
    const config = { gate: createGate({ limits: { concurrent: 2 } }), gateKey: 'agent', runtime };
    const other = withRetry(() => time.after(500).then(() => 'other'), config);
    const outer = withRetry(() => withRetry(() => 'nested', config), config);
    await until(time, 1_000);
    expect([await other, await outer]).toEqual(['other', 'nested']);
  });
});

describe('a minute of refusals without a hint', () => {
  test.each(['fleet', 'background'] as const)(
    'is outlasted by a single call, and by twenty, with presets.%s',
    async (name) => {
      for (const count of [1, 20]) {
        const time = new VirtualTime(START_MS);
        const dice = createDice(count);
        const preset = name === 'fleet' ? { ...presets.fleet, gate: createGate() } : presets.background;
        const inner = async (): Promise<Response> =>
          new Response(null, { status: time.nowMs < START_MS + 60_000 ? 429 : 200 });
        const fetch = createRetryFetch({ fetch: inner, ...preset, runtime: time.runtime(dice) });
        const answers = Promise.all(Array.from({ length: count }, () => fetch(URL)));
        await until(time, 600_000);
        expect((await answers).map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 200));
      }
    },
  );
});
