import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDice } from '../../bench/dice.ts';
import { VirtualTime } from '../../bench/virtual-time.ts';
import {
  createGate,
  createRetryFetch,
  type GateEvent,
  type GateLimits,
  type GateOptions,
  GateRefusedError,
  presets,
  type RetryConfig,
  RetryController,
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
import { bench, REQUEST, waitOf } from './sessions.ts';
import { times } from '../thorough.ts';
import { openSession } from '../../src/gate/open-gate.ts';

const CALLS = times({ thorough: 500, otherwise: 150 });

interface Batch {
  readonly limits: GateLimits;
  readonly limiters: () => readonly Limiter[];
  /** What a request costs, and what the caller believes. @default 1 */
  readonly cost?: number;
  readonly estimate?: number;
  /** A request takes a millisecond to the limiter, and up to so much longer. @default 3 */
  readonly networkMs?: number;
}

/** Calls at once under limiters: how many were answered and refused, and how long after the first call the last was. */
async function runBatch({ limits, limiters: makeLimiters, cost = 1, estimate, networkMs = 3 }: Batch) {
  const time = new VirtualTime(1_800_000_000_137);
  const network = createDice(2);
  const limiters = makeLimiters();
  const result = { answered: 0, refused: 0, elapsedMs: 0 };
  const inner = async (): Promise<Response> => {
    await time.after(1 + networkMs * network());
    const admitted: Limiter[] = [];
    for (const limiter of limiters) {
      const ruling = limiter.ask(time.nowMs, cost);
      if (!ruling.admitted) {
        result.refused += 1;
        for (const other of admitted) other.done?.();
        const headers = ruling.freeInMs > 0 ? { 'retry-after-ms': String(Math.ceil(ruling.freeInMs)) } : {};
        return new Response(null, { status: limiter.status, headers });
      }
      admitted.push(limiter);
    }
    await time.after(200);
    for (const limiter of admitted) limiter.done?.();
    return new Response('{}');
  };
  const gate = createGate({ limits, ...(estimate !== undefined && { cost: () => estimate }) });
  const fetch = createRetryFetch({ fetch: inner, ...presets.fleet, gate, runtime: time.runtime(createDice(1)) });
  for (let call = 0; call < CALLS; call += 1)
    void fetch(REQUEST.url, { method: 'POST', body: '{}' }).then(async (response) => {
      await response.text();
      if (response.ok) result.answered += 1;
      result.elapsedMs = time.elapsedMs;
    });
  await time.runUntil(time.nowMs + 3_600_000);
  return result;
}

const limitersOf: readonly (readonly [kind: string, () => readonly Limiter[]])[] = [
  ['a window of the clock', () => [fixedWindow(5, 1_000)]],
  ['a sliding window', () => [slidingWindow(5, 1_000)]],
  ['a bucket of five', () => [tokenBucket(5, 5)]],
  ['a bucket of one', () => [tokenBucket(5, 1)]],
  ['windows of a minute and of a second', () => [fixedWindow(300, 60_000), fixedWindow(5, 1_000)]],
  ['a sliding minute', () => [slidingWindow(300, 60_000)]],
];
test.each(limitersOf)(
  'with 5 a second or 300 a minute stated, none of many calls at once is refused by %s',
  async (_, limiters) => {
    for (const limits of [{ requestsPerSecond: 5 }, { requestsPerMinute: 300 }]) {
      const { answered, refused, elapsedMs } = await runBatch({ limits, limiters });
      expect({ answered, refused }).toEqual({ answered: CALLS, refused: 0 });
      expect(elapsedMs).toBeLessThanOrEqual((1.05 * CALLS * 1_000) / 5);
    }
  },
);

const nginx = (): Limiter => ({ ...tokenBucket(5, 1), status: 503 });
test.each<[why: string, () => Limiter, networkMs: number, mostRefused: number, longest: number]>([
  ['up to 20 ms of the network', () => tokenBucket(5, 1), 20, 35, 1.2],
  ['up to 80 ms of the network', () => tokenBucket(5, 1), 80, 45, 1.4],
  ['up to 20 ms, and a 503', nginx, 20, 35, 1.2],
  ['up to 80 ms, and a window', () => slidingWindow(5, 1_000), 80, 35, 1.15],
  ['an approximation', () => slidingCounter(5, 1_000), 3, 35, 1.3],
])('requests that are refused although the limit was kept are sent further apart: %s', async (_, limiter, ...rest) => {
  const [networkMs, mostRefused, longest] = rest;
  const limits = { requestsPerSecond: 5 };
  const result = await runBatch({ limits, limiters: () => [limiter()], networkMs });
  expect(result.answered).toBe(CALLS);
  expect(result.refused).toBeLessThanOrEqual(mostRefused);
  expect(result.elapsedMs).toBeLessThanOrEqual((longest * CALLS * 1_000) / 5);
});

test.each([
  [1, 'goes at once, because the stated pace keeps calls apart', 0],
  [0, 'waits, because it would be refused', 9_000],
])('under a stated limit, with %i left by what the server announces, a call %s', (remaining, _what, leastMs) => {
  const { session } = bench({ announced: true, limits: { requestsPerSecond: 6 } });
  const headers = {
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': '10',
  };
  const first = session();
  void first.take(0, null);
  first.report(100, { type: 'success', headers });
  const waitMs = waitOf(session().take(1_000, null));
  expect(waitMs).toBeGreaterThanOrEqual(leastMs);
  expect(waitMs === 0).toBe(leastMs === 0);
});

describe('tokens by an estimate', () => {
  const limits = { tokensPerMinute: 60_000 };
  test.each([
    { of: 'the truth', estimate: 200, mostRefused: 0, longest: 1.05 },
    { of: 'twice the truth', estimate: 400, mostRefused: 0, longest: 2.1 },
    { of: 'half the truth', estimate: 100, mostRefused: 5, longest: 1.6 },
  ])('of $of', async ({ estimate, mostRefused, longest }) => {
    for (const limiter of [tokenBucket(1_000, 60_000), tokenBucket(1_000, 10_000), fixedWindow(60_000, 60_000)]) {
      const result = await runBatch({ limits, limiters: () => [limiter], cost: 200, estimate });
      expect(result.answered).toBe(CALLS);
      expect(result.refused).toBeLessThanOrEqual(mostRefused);
      expect(result.elapsedMs).toBeLessThanOrEqual((longest * CALLS * 200) / 1);
    }
  });
});

describe('requests at a time', () => {
  test.each([1, 4])('%i: none is refused, and no slot stays free', async (concurrent) => {
    const limiters = (): Limiter[] => [concurrency(concurrent)];
    const result = await runBatch({ limits: { concurrent }, limiters });
    expect(result).toMatchObject({ answered: CALLS, refused: 0 });
    expect(result.elapsedMs).toBeLessThanOrEqual((1.05 * CALLS * 203) / concurrent);
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

  test.each([
    ['all models of a credential together', undefined, [0, 1_015]],
    ['each model for itself where `key` says so', 'model', [0, 0]],
  ] as const)('counts %s', async (_what, key, atMs) => {
    const { time, call, sent } = calls({ limits: { requestsPerSecond: 1 }, ...(key && { key }) });
    for (const model of ['one', 'two']) void call(JSON.stringify({ model }));
    await until(time, 5_000);
    expect(sent.map(([, ms]) => ms)).toEqual(atMs);
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

test.each([
  { busyMs: 60, waitMs: 60 + 101.5 },
  { busyMs: 2, waitMs: 101.5 },
])(
  'by the real clock a request that is delayed for $busyMs ms is followed by the next one $waitMs ms after it',
  (each) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = vi.spyOn(performance, 'now').mockReturnValue(10_000);
    const gate = createGate({ limits: { requestsPerSecond: 10 } });
    const session = () => openSession(gate, REQUEST, { runtime: systemRuntime });
    expect(waitOf(session().take(10_000, null))).toBe(0);
    clock.mockReturnValue(10_000 + each.busyMs);
    vi.advanceTimersByTime(1);
    expect(waitOf(session().take(10_000 + each.busyMs, null))).toBeCloseTo(each.waitMs - each.busyMs);
  },
);

test('a first attempt gets one turn in twenty beside retries, which have precedence', async () => {
  const time = new VirtualTime();
  const inner = async (url: unknown): Promise<Response> =>
    new Response(null, { status: url === REQUEST.url ? 200 : 429 });
  const config: RetryConfig = { maxRetries: 100, baseDelayMs: 1_000, maxDelayMs: 1_000, jitter: 'none' };
  const gate = createGate({ limits: { requestsPerSecond: 10 }, cooldown: false, retryBudget: false });
  const fetch = createRetryFetch({ fetch: inner, ...config, gate, runtime: time.runtime(() => 0.5) });
  let sentMs = 0;
  for (let call = 0; call < 15; call += 1) time.in(0, () => void fetch('https://api.example.com/refused'));
  time.in(10_000, () => void fetch(REQUEST.url).then(() => (sentMs = time.elapsedMs)));
  await time.runUntil(time.nowMs + 30_000);
  expect(sentMs).toBeGreaterThan(10_000);
  expect(sentMs).toBeLessThanOrEqual(15_000);
});

test('those who wait for an announcement that was wrong go at once where nothing was refused before', async () => {
  const time = new VirtualTime();
  const inner = async (): Promise<Response> => {
    await time.after(20);
    const lies = time.elapsedMs > 10_000 && time.elapsedMs < 10_500;
    const headers = { 'x-ratelimit-limit-requests': '100', 'x-ratelimit-remaining-requests': lies ? '0' : '50' };
    return new Response(null, { headers: { ...headers, 'x-ratelimit-reset-requests': lies ? '120s' : '5s' } });
  };
  const fetch = createRetryFetch({
    fetch: inner,
    ...presets.fleet,
    gate: createGate(),
    runtime: time.runtime(() => 0.5),
  });
  const waitedMs: number[] = [];
  for (let call = 0; call < 560; call += 1)
    time.in(call * 71, () => {
      const sinceMs = time.elapsedMs;
      void fetch(REQUEST.url).then(() => waitedMs.push(time.elapsedMs - sinceMs));
    });
  await time.runUntil(time.nowMs + 120_000);
  expect(waitedMs).toHaveLength(560);
  expect(Math.max(...waitedMs)).toBeLessThanOrEqual(3_000);
});
