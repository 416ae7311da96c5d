import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { GateOptions } from '../../src/gate/gate-options.ts';
import { nothing, type Report } from '../../src/gate/key-state.ts';
import { memoryStore } from '../../src/gate/memory-store.ts';
import type { Store } from '../../src/gate/store.ts';
import { rateLimited, unavailable } from './failures.ts';
import { atOnce, type Bench, bench } from './passes.ts';

/** A store somewhere else: answers when it is let, or not at all. */
interface DistantStore extends Store {
  readonly reports: Report[];
  asked: number;
  behaviour: 'answers' | 'hangs' | 'rejects' | 'throws';
  /** Answers what is still open. */
  answer(): void;
}

function distantStore(): DistantStore {
  const inner = memoryStore();
  let open: (() => void)[] = [];
  const operate = <A>(work: () => A): Promise<A> => {
    if (store.behaviour === 'throws') throw new TypeError('The client is closed');
    if (store.behaviour === 'rejects') return Promise.reject(new Error('OOM command not allowed'));
    if (store.behaviour === 'answers') return Promise.resolve(work());
    return new Promise((resolve) => open.push(() => resolve(work())));
  };
  const store: DistantStore = {
    reports: [],
    asked: 0,
    behaviour: 'answers',
    answer: () => {
      for (const each of open) each();
      open = [];
    },
    admit: (...args) => {
      store.asked += 1;
      return operate(() => inner.admit(...args));
    },
    permitRetry: (...args) => {
      store.asked += 1;
      return operate(() => inner.permitRetry(...args));
    },
    settle: (...args) => {
      store.reports.push(args[1]);
      return operate(() => inner.settle(...args));
    },
  };
  return store;
}

/** Processes of a fleet whose key has been in use for a while, on one clock. */
async function processes(
  count: number,
  options: GateOptions & { readonly store: Store },
): Promise<readonly [Bench, ...Bench[]]> {
  const first = bench(options);
  const all = [first, ...Array.from({ length: count - 1 }, () => bench(options, first.clock))] as const;
  for (const { pass } of all) await pass().admit();
  first.clock.timeMs += 2_000;
  for (const { pass, events } of all) {
    pass().settled('success');
    await vi.advanceTimersByTimeAsync(0);
    events.length = 0;
  }
  return all;
}

async function process(store: DistantStore): Promise<Bench> {
  const [first] = await processes(1, { store });
  store.reports.length = 0;
  store.asked = 0;
  return first;
}

describe('a store that others use too', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('is asked once by a process that does not know the key, and not again while all is well', async () => {
    const store = distantStore();
    const { clock, pass } = bench({ store });
    expect(await pass().admit()).toEqual({ go: true });
    clock.timeMs += 2_000;
    pass().settled('success');
    await vi.advanceTimersByTimeAsync(0);
    for (let i = 0; i < 10; i += 1) expect(pass().admit()).toEqual({ go: true });
    expect(store.asked).toBe(1);
  });

  test('lets a fleet that starts go in line', async () => {
    const store = distantStore();
    const one = bench({ store });
    const two = bench({ store }, one.clock);
    const answers = await Promise.all([one.pass().admit(), two.pass().admit(), one.pass().admit()]);
    expect(answers.map((answer) => ('waitMs' in answer ? answer.waitMs : 0))).toEqual([0, 10, 20]);
  });

  test('tells a process what another was told, with the next thing that it reports', async () => {
    const store = distantStore();
    const [one, two = one] = await processes(2, { store });
    one.pass().settled(rateLimited(5_000));
    expect(two.pass().admit()).toEqual({ go: true });
    two.pass().settled('success');
    await vi.advanceTimersByTimeAsync(0);
    expect(await two.pass().admit()).toMatchObject({ go: false, refused: null });
  });

  test('is not waited for when an answer reports: successes gather, failures go at once', async () => {
    const store = distantStore();
    const { pass } = await process(store);
    store.behaviour = 'hangs';
    for (let i = 0; i < 5; i += 1) pass().settled('success');
    pass().settled(unavailable);
    expect(store.reports.map(({ successes, failures }) => [successes, failures])).toEqual([
      [1, 0],
      [4, 1],
    ]);
  });

  test('gets the successes that gathered when it has answered', async () => {
    const store = distantStore();
    const { pass } = await process(store);
    store.behaviour = 'hangs';
    for (let i = 0; i < 5; i += 1) pass().settled('success');
    expect(store.reports.map(({ successes }) => successes)).toEqual([1]);
    store.behaviour = 'answers';
    store.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.reports.map(({ successes }) => successes)).toEqual([1, 4]);
  });

  test('is asked for the token of a retry, and shares the budget', async () => {
    const store = distantStore();
    const [one, two = one] = await processes(2, { store });
    const refused: (string | null)[] = [];
    for (let i = 0; i < 6; i += 1) {
      const call = (i % 2 === 0 ? one : two).pass();
      call.settled(unavailable);
      const answer = await call.permitRetry(unavailable, 100);
      refused.push(answer.go ? null : answer.refused);
    }
    expect(refused).toEqual([null, null, null, null, null, 'retry-budget-empty']);
    expect(one.gate.readings(one.clock.timeMs)).toMatchObject([{ tokens: 0 }]);
  });

  test('keeps a call for 50 ms at most when it does not answer, and is left alone then', async () => {
    const store = distantStore();
    const { clock, pass, events } = bench({ store });
    store.behaviour = 'hangs';
    let answered = false;
    const admitted = Promise.resolve(pass().admit()).then(() => (answered = true));
    await vi.advanceTimersByTimeAsync(49);
    expect(answered).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await admitted;
    expect(events).toEqual([
      {
        type: 'store-unreachable',
        reason: 'timeout',
        message: 'No answer within 50 ms (storeTimeoutMs).',
        at: clock.timeMs,
      },
    ]);
    expect(pass().admit()).not.toBeInstanceOf(Promise);
    expect(store.asked).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['rejects', 'OOM command not allowed'],
    ['throws', 'The client is closed'],
  ] as const)('is done without when it %s', async (behaviour, message) => {
    const store = distantStore();
    const { pass, events } = bench({ store });
    store.behaviour = behaviour;
    expect(await pass().admit()).toEqual({ go: true });
    expect(events).toMatchObject([{ type: 'store-unreachable', reason: 'error', message }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('says what was thrown, whatever it was', async () => {
    const store = distantStore();
    const { pass, events } = bench({
      store: { ...store, admit: () => Promise.reject('ECONNRESET') },
    });
    await pass().admit();
    expect(events).toMatchObject([{ message: 'ECONNRESET' }]);
  });

  test('is not blamed for the time in which this process was too busy to listen', async () => {
    const store = distantStore();
    const { clock, pass, events } = bench({ store });
    store.behaviour = 'hangs';
    const admitted = pass().admit();
    clock.timeMs += 400;
    await vi.advanceTimersByTimeAsync(50);
    expect(events).toEqual([]);
    store.answer();
    expect(await admitted).toEqual({ go: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is found again by a report, after pauses that grow', async () => {
    const store = distantStore();
    const { clock, pass, events } = await process(store);
    store.behaviour = 'rejects';
    const times: number[] = [];
    for (let elapsed = 0; elapsed < 8_000; elapsed += 10) {
      const before = store.reports.length;
      pass().settled('success');
      await vi.advanceTimersByTimeAsync(0);
      if (store.reports.length > before) times.push(elapsed);
      clock.timeMs += 10;
    }
    expect(times).toEqual([0, 100, 300, 700, 1_500, 3_100, 5_100, 7_100]);
    store.behaviour = 'answers';
    clock.timeMs += 2_000;
    pass().settled('success');
    await vi.advanceTimersByTimeAsync(0);
    expect(events.map(({ type }) => type)).toEqual(['store-unreachable', 'store-reachable']);
    expect(events[1]).toMatchObject({ afterMs: 10_000 });
    expect(pass().admit()).toEqual({ go: true });
  });

  test('is told again what it has forgotten, and obeyed no sooner than this process was told', async () => {
    let inner = distantStore();
    const store: Store = {
      admit: (...args) => inner.admit(...args),
      permitRetry: (...args) => inner.permitRetry(...args),
      settle: (...args) => inner.settle(...args),
    };
    const [{ clock, pass }] = await processes(1, { store });
    pass().settled(rateLimited(5_000));
    await vi.advanceTimersByTimeAsync(0);
    inner.behaviour = 'rejects';
    await pass().admit();
    clock.timeMs += 1_000;
    inner = distantStore();
    pass().settled('success');
    await vi.advanceTimersByTimeAsync(0);
    expect(inner.reports).toMatchObject([{ successes: 1, hintMs: 4_001 }]);
    const other = bench({ store }, clock);
    expect(await other.pass().admit()).toMatchObject({ go: false, waitMs: 4_001 });
  });

  test('may let a call go that this process was told to hold: then it holds it', async () => {
    const store = distantStore();
    const forgetful: Store = { ...store, settle: (key, _, rules, nowMs) => store.settle(key, nothing, rules, nowMs) };
    const [{ pass }] = await processes(1, { store: forgetful });
    pass().settled(rateLimited(5_000));
    await vi.advanceTimersByTimeAsync(0);
    expect(await pass().admit()).toEqual({ go: false, waitMs: 5_001, refused: null });
  });

  test('leaves each process the pace that it had, when it is lost while there is a line', async () => {
    const store = distantStore();
    const [one, two = one] = await processes(2, { store });
    for (let i = 0; i < 20; i += 1) {
      one.clock.timeMs += 100;
      one.pass().settled('success');
    }
    two.pass().settled(rateLimited(100));
    await vi.advanceTimersByTimeAsync(0);
    one.pass().settled('success');
    await vi.advanceTimersByTimeAsync(0);
    one.clock.timeMs += 102;
    store.behaviour = 'rejects';
    const waits = await Promise.all([one.pass().admit(), one.pass().admit(), one.pass().admit()]);
    expect(waits.map((answer) => ('waitMs' in answer ? answer.waitMs : 0))).toEqual([0, 96, 191]);
  });

  test('leaves a process that has never found it a careful pace', async () => {
    const store = distantStore();
    store.behaviour = 'rejects';
    const { pass } = bench({ store });
    const waits = await Promise.all([pass().admit(), pass().admit(), pass().admit()]);
    expect(waits.map((answer) => ('waitMs' in answer ? answer.waitMs : 0))).toEqual([0, 50, 100]);
  });

  test('keeps a place that it gave late for the call that asked for it', async () => {
    const store = distantStore();
    const { clock, pass } = bench({ store });
    await pass().admit();
    pass().settled(rateLimited(1_000));
    await vi.advanceTimersByTimeAsync(0);
    store.behaviour = 'hangs';
    const call = pass();
    const asked = call.admit();
    await vi.advanceTimersByTimeAsync(60);
    expect(await asked).toMatchObject({ go: false });
    store.behaviour = 'answers';
    store.answer();
    clock.timeMs += 500;
    pass().settled('success');
    await vi.advanceTimersByTimeAsync(0);
    await call.admit();
    clock.timeMs += 502;
    expect(await call.admit()).toEqual({ go: true });
  });

  test('hears of places that nobody will come for', async () => {
    const store = distantStore();
    const { pass } = bench({ store });
    await pass().admit();
    pass().settled(rateLimited(1_000));
    await vi.advanceTimersByTimeAsync(0);
    const call = pass();
    await call.admit();
    call.leave();
    expect(store.reports.at(-1)).toMatchObject({ left: 1 });
  });

  test('shares the circuit, and every process hears how it stands', async () => {
    const store = distantStore();
    const options = { store, circuitBreaker: { opensAfter: { failures: 1 }, openMs: 1_000, covers: 'all' } } as const;
    const [one, two = one] = await processes(2, options);
    one.pass().settled(unavailable);
    await vi.advanceTimersByTimeAsync(0);
    two.pass().settled('success');
    await vi.advanceTimersByTimeAsync(0);
    expect(await two.pass().admit()).toMatchObject({ refused: 'circuit-open' });
    expect(two.events).toMatchObject([
      { type: 'circuit', phase: 'open' },
      { type: 'refused', because: 'circuit-open' },
    ]);
    expect(one.gate.readings(one.clock.timeMs)).toMatchObject([{ circuit: 'open' }]);
  });

  test('may answer at once', () => {
    const store = memoryStore();
    const one = bench({ store });
    const two = bench({ store }, one.clock);
    expect(one.pass().admit()).toEqual({ go: true });
    one.pass().settled(rateLimited(1_000));
    expect(atOnce(two.pass().admit())).toMatchObject({ waitMs: 1_001 });
    const failing = bench({
      store: {
        ...store,
        settle: () => {
          throw new Error('full');
        },
      },
    });
    failing.pass().settled('success');
    expect(failing.events).toMatchObject([{ type: 'store-unreachable', message: 'full' }]);
  });

  test('is asked once more for a key that was forgotten among many', async () => {
    const store = distantStore();
    const { gate, clock } = bench({ store, cooldown: false });
    const admit = (origin: number): unknown => gate.pass({ url: `https://h${origin}.example` }, clock).admit();
    for (let origin = 0; origin < 1_001; origin += 1) await admit(origin);
    const { asked } = store;
    await admit(1_000);
    expect(store.asked).toBe(asked);
    await admit(0);
    expect(store.asked).toBe(asked + 1);
  });
});
