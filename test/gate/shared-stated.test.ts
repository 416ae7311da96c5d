import { expect, onTestFinished, test, vi } from 'vitest';
import { fixedWindow, tokenBucket } from '../../bench/limiters/limiters.ts';
import { createDice } from '../../bench/dice.ts';
import { VirtualTime } from '../../bench/virtual-time.ts';
import {
  createGate,
  createRetryFetch,
  type Fetch,
  type GateLimits,
  type GateOptions,
  type RetryConfig,
  RetryController,
  type RetryEvent,
} from '../../src/index.ts';
import { heldRuntime, thrownBy } from '../script.ts';
import { oneIn } from '../thorough.ts';
import { memoryStore } from '../../src/gate/redis.ts';
import { openMemoryStore, type OpenStore, sealStore } from '../../src/gate/store.ts';

const URL = 'https://api.example.com/';

/** `wait`: for a time of the simulation. */
type StoreAt = (now: () => number, wait: (ms: number) => Promise<void>) => OpenStore;

/** Processes in one time, each of which has a gate of its own over one store. */
class Fleet {
  readonly time = new VirtualTime();
  readonly #store: OpenStore;

  constructor(storeAt: StoreAt = openMemoryStore) {
    const store = storeAt(
      () => this.time.elapsedMs,
      (ms) => this.time.after(ms),
    );
    this.#store = {
      ...store,
      // In real time: a loaded machine must not end it.
      timeoutMs: 60_000,
    };
  }

  process(options: GateOptions, inner: () => Promise<Response>, config: RetryConfig = {}): Fetch {
    const gate = createGate({ ...options, store: sealStore(this.#store) });
    return createRetryFetch({ fetch: inner, gate, runtime: this.time.runtime(() => 0.5), ...config });
  }

  /** Lets what was begun begin, and time pass. */
  async until(ms: number): Promise<void> {
    await new Promise(setImmediate);
    await this.time.runUntil(this.time.nowMs - this.time.elapsedMs + ms);
  }
}

/** Eight processes call one server at once. */
async function runFleet(
  limits: GateLimits,
  calls: number,
  keptBy: 'limiters' | 'a window' | 'no limiter',
  storeAt?: StoreAt,
) {
  const fleet = new Fleet(storeAt);
  const { time } = fleet;
  const limiters = [fixedWindow(40, 1_000), tokenBucket(40, 1)];
  const result = { ok: 0, refused: 0, most: 0, waits: 0, elapsedMs: 0 };
  let inFlight = 0;
  const inner = async (): Promise<Response> => {
    inFlight += 1;
    result.most = Math.max(result.most, inFlight);
    const asked = { limiters, 'a window': limiters.slice(0, 1), 'no limiter': [] }[keptBy];
    const isAdmitted = asked.every((limiter) => limiter.ask(time.nowMs, 1).admitted);
    if (!isAdmitted) result.refused += 1;
    await time.after(20);
    inFlight -= 1;
    return new Response(null, { status: isAdmitted ? 200 : 429 });
  };
  const plain = time.runtime(() => 0.5);
  const sleep: typeof plain.sleep = (ms, signal) => {
    result.waits += 1;
    return plain.sleep(ms, signal);
  };
  for (let process = 0; process < 8; process += 1) {
    const fetch = fleet.process({ limits }, inner, { runtime: { ...plain, sleep } });
    for (let call = 0; call < calls / 8; call += 1) {
      void fetch(URL).then(({ ok }) => {
        if (ok) result.ok += 1;
        result.elapsedMs = time.elapsedMs;
      });
    }
  }
  await fleet.until(120_000);
  return result;
}

test('eight processes over one store keep one rate, and hardly any call has to ask again', async () => {
  const result = await runFleet({ requestsPerSecond: 40 }, 400, 'limiters');
  expect(result.ok).toBe(400);
  // Even by a bucket that holds a single request.
  expect(result.refused).toBeLessThanOrEqual(4);
  expect(result.elapsedMs).toBeLessThanOrEqual(1.05 * 10_000 + 100);
  expect(result.waits).toBeLessThanOrEqual(6 * 400);
});

test('a call is sent when a store in memory has given it a turn, without a wait for the clock', async () => {
  const runtime = heldRuntime();
  const gate = createGate({ store: memoryStore(() => runtime.time), limits: { requestsPerSecond: 1_000 } });
  const retrying = createRetryFetch({ fetch: async () => new Response('ok'), gate, runtime });
  for (let calls = 0; calls < 3; calls += 1) {
    expect((await retrying(URL)).status).toBe(200);
    runtime.time += 10;
  }
});

test('eight processes over one store keep one number of requests at a time', async () => {
  const result = await runFleet({ concurrent: 3 }, 240, 'no limiter');
  expect(result.ok).toBe(240);
  expect(result.most).toBeLessThanOrEqual(3);
});

test('no process waits while another one uses a slot again and again', async () => {
  const fleet = new Fleet();
  const { time } = fleet;
  const sentMs = Array.from({ length: 8 }, (): number[] => []);
  let inFlight = 0;
  let busyMs = 0;
  for (const [process, sent] of sentMs.entries()) {
    const fetch = fleet.process({ limits: { concurrent: 4 } }, async () => {
      sent.push(time.elapsedMs);
      inFlight += 1;
      expect(inFlight).toBeLessThanOrEqual(4);
      await time.after(200);
      inFlight -= 1;
      busyMs += 200;
      return new Response(null);
    });
    const again = (): Promise<unknown> | undefined => (time.elapsedMs < 30_000 ? fetch(URL).then(again) : undefined);
    // The first has more calls than all others.
    for (let call = 0; call < (process === 0 ? 40 : 2); call += 1) void again();
  }
  await fleet.until(60_000);
  for (const sent of sentMs) {
    const waitsMs = sent.map((atMs, index) => atMs - (sent[index - 1] ?? 0));
    expect(Math.max(...waitsMs)).toBeLessThan(2_500);
  }
  expect(busyMs).toBeGreaterThanOrEqual(0.93 * 4 * 30_000);
});

test.each(['deadline', 'given-up'] as const)(
  'only the first call of a process knows its turn after that of another process, also when it ends with %s',
  async (because) => {
    const fleet = new Fleet();
    const events: RetryEvent[] = [];
    const controller = new RetryController();
    const limits = { requestsPerMinute: 1 };
    const inner = async (): Promise<Response> => new Response();
    void fleet.process({ limits }, inner)(URL);
    await fleet.until(5_000);
    const maxElapsedMs = because === 'deadline' ? 30_000 : undefined;
    const onEvent = (event: RetryEvent): void => void events.push(event);
    const other = fleet.process({ limits }, inner, { onEvent, controller, maxElapsedMs });
    const [refused, behind] = [0, 1].map(() => thrownBy(other(URL)));
    await fleet.until(15_000);
    controller.giveUp();
    const possibleAt = Number(Reflect.get(Object(await refused), 'possibleAt'));
    const afterMs = possibleAt - (fleet.time.nowMs - fleet.time.elapsedMs);
    expect(afterMs).toBeGreaterThanOrEqual(60_000);
    expect(afterMs).toBeLessThan(63_000);
    expect(events).toContainEqual(expect.objectContaining({ type: 'failed', because, possibleAt }));
    expect(await behind).toHaveProperty('possibleAt', null);
  },
);

const endless = (): Response =>
  new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1)) }));

test('a slot whose body is not read for a minute is free for others, also where the fleet leaves a process one of two', async () => {
  const fleet = new Fleet((now) => ({
    ...openMemoryStore(now),
    ask: (_, { slots }) => ({
      nowMs: now(),
      part: 1,
      total: [2, 0, 0],
      mayProbe: false,
      slots: slots === undefined || slots.held > 0 ? 0 : Math.min(1, slots.wanted),
      before: 0,
      owed: 0,
      atMs: [],
    }),
  }));
  const events: string[] = [];
  let sent = 0;
  const onEvent = ({ type }: { readonly type: string }): void => void events.push(type);
  const fetch = fleet.process({ limits: { concurrent: 2 }, onEvent }, async () => ((sent += 1), endless()));
  const unread = fetch(URL);
  fleet.time.in(100, () => void fetch(URL));
  await fleet.until(130_000);
  expect((await unread).bodyUsed).toBe(false);
  expect(events).toContain('slots-held');
  expect(sent).toBe(2);
});

test('a slot whose body is not read for a minute is free for other processes, also where no other call waits', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const store = sealStore(openMemoryStore());
  let sent = 0;
  const call = (): Promise<Response> => {
    const gate = createGate({ limits: { concurrent: 1 }, store });
    return createRetryFetch({ fetch: async () => ((sent += 1), endless()), gate })(URL);
  };
  const first = call();
  await vi.advanceTimersByTimeAsync(1_000);
  const unread = await first;
  const second = call();
  await vi.advanceTimersByTimeAsync(80_000);
  expect([unread.bodyUsed, sent]).toEqual([false, 2]);
  await (await second).body?.cancel();
});

test('a process whose waiting calls are aborted does not keep a slot from others', async () => {
  const fleet = new Fleet();
  const { time } = fleet;
  const endMs: number[] = [];
  const controller = new AbortController();
  const [first, second, third] = [0, 1, 2].map((index) =>
    fleet.process({ limits: { concurrent: 1 } }, async () => {
      await time.after(1_000);
      endMs[index] = time.elapsedMs;
      return new Response(null);
    }),
  );
  void first?.(URL);
  time.in(10, () => void second?.(URL, { signal: controller.signal }).catch(() => {}));
  time.in(20, () => void third?.(URL));
  time.in(990, () => controller.abort());
  await fleet.until(5_000);
  expect(endMs[2]).toBeLessThan(2_400);
});

test.each([
  [15, 8, 1.07],
  [120, 24, 1.12],
])('processes keep one rate although the store is %i ms away, more or less', async (meanMs, moreMs, longest) => {
  const run = (keptBy: 'limiters' | 'no limiter', seed: number) => {
    const dice = createDice(seed);
    return runFleet({ requestsPerSecond: 40 }, 400, keptBy, (now, wait) => {
      const store = openMemoryStore(now);
      const way = (): Promise<void> => wait(meanMs + moreMs * (2 * dice() - 1));
      return {
        ...store,
        async ask(key, one) {
          await way();
          const turns = await store.ask(key, one);
          await way();
          return turns;
        },
      };
    });
  };
  const seeds = oneIn(4, [1, 2, 3, 4]);
  let refusedInAll = 0;
  for (const seed of seeds) {
    const { ok, refused } = await run('limiters', seed);
    expect(ok).toBe(400);
    refusedInAll += refused;
    expect((await run('no limiter', seed)).elapsedMs).toBeLessThanOrEqual(longest * 10_000);
  }
  // One in a hundred.
  expect(refusedInAll).toBeLessThanOrEqual(4 * seeds.length);
});

test('without the store each process keeps to its share', async () => {
  const result = await runFleet({ requestsPerSecond: 40 }, 400, 'a window', (now) => {
    const store = openMemoryStore(now);
    return {
      ...store,
      ask(key, one) {
        if (now() > 3_000) throw new Error('gone');
        return store.ask(key, one);
      },
    };
  });
  expect(result.ok).toBe(400);
  expect(result.refused).toBeLessThanOrEqual(40);
});

test('a refusal raises the estimates of tokens only for a time, also over a store', async () => {
  const asked: [atMs: number, turnMs: number | undefined][] = [];
  const fleet = new Fleet((now) => {
    const memory = openMemoryStore(now);
    return {
      ...memory,
      ask(key, one) {
        asked.push([now(), one.rates[0]?.[0]]);
        return memory.ask(key, one);
      },
    };
  });
  let answers = 0;
  const inner = async (): Promise<Response> => new Response(null, { status: (answers += 1) === 1 ? 429 : 200 });
  const fetch = fleet.process({ limits: { tokensPerMinute: 60_000 }, cost: () => 100 }, inner);
  void fetch(URL);
  fleet.time.in(7_200_000, () => void fetch(URL));
  await fleet.until(7_300_000);
  expect(answers).toBe(3);
  const mostIn = (fromMs: number, untilMs: number): number =>
    Math.max(...asked.map(([atMs, turnMs = 0]) => (atMs >= fromMs && atMs < untilMs ? turnMs : 0)));
  expect(mostIn(0, 60_000)).toBeGreaterThan(140);
  expect(mostIn(7_200_000, 7_300_000)).toBeLessThan(103.5);
});

test('turns that were reserved for calls that are gone are not all used at once later', async () => {
  const fleet = new Fleet();
  const { time } = fleet;
  const sentMs: number[] = [];
  const fetches = Array.from({ length: 8 }, () =>
    fleet.process({ limits: { requestsPerSecond: 40 } }, async () => {
      sentMs.push(time.elapsedMs);
      return new Response(null);
    }),
  );
  const callAll = (init: RequestInit = {}): void => {
    for (const fetch of fetches) for (let call = 0; call < 5; call += 1) void fetch(URL, init).catch(() => {});
  };
  const controller = new AbortController();
  callAll({ signal: controller.signal });
  time.in(100, () => controller.abort());
  time.in(2_000, () => callAll());
  await fleet.until(10_000);
  const later = sentMs.filter((atMs) => atMs >= 2_000);
  expect(later).toHaveLength(40);
  expect(later.filter((atMs) => atMs < 2_100).length).toBeLessThanOrEqual(5);
});

const nothing = {
  nowMs: 1,
  part: 1,
  total: [1, 0, 0],
  mayProbe: false,
  slots: 0,
  before: 0,
  owed: 0,
  atMs: [],
} as const;
test.each<[string, OpenStore['ask']]>([
  ['NaN', () => ({ ...nothing, atMs: [Number.NaN] })],
  ['slots below zero', () => ({ ...nothing, slots: -1 })],
  ['an error', () => Promise.reject(new Error('gone'))],
])('a store that answers with %s loses no call', async (_, broken) => {
  const result = await runFleet({ requestsPerSecond: 40 }, 80, 'no limiter', (now) => ({
    ...openMemoryStore(now),
    ask: broken,
  }));
  expect(result.ok).toBe(80);
});
