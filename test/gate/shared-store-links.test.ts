import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { GateRules } from '../../src/gate/key-state.ts';
import { nothing, type Report } from '../../src/gate/key-state.ts';
import { SharedStore } from '../../src/gate/shared-store.ts';
import type { Standing, Store, StoreAnswer } from '../../src/gate/store.ts';
import { type TestClock, testClock } from './clock.ts';

const RULES: GateRules = { cooldown: null, budget: null, circuit: null };
const WELL: Standing = { askForMs: 0, cooldownMs: 0, line: 0, circuit: 'closed', tokens: null };
const ANSWER: StoreAnswer = { verdict: 'go', waitMs: 0, place: null, probe: false, standing: WELL };
const success: Report = { ...nothing, successes: 1 };

interface Way {
  readonly clock: TestClock;
  readonly shared: SharedStore;
  readonly reports: Report[];
  /** What the gate has heard. */
  readonly heard: string[];
  /** What the next operations answer. */
  next: (() => Standing | Promise<Standing>) | undefined;
}

/** The way to a store that answers at once that all is well, until it is told otherwise. */
function wayToStore(remembered: number = 0): Way {
  const clock = testClock(0);
  const reports: Report[] = [];
  const heard: string[] = [];
  const operate = (): Standing | Promise<Standing> => way.next?.() ?? WELL;
  const answered = (): StoreAnswer | Promise<StoreAnswer> => {
    const standing = operate();
    return standing instanceof Promise
      ? standing.then((later) => ({ ...ANSWER, standing: later }))
      : { ...ANSWER, standing };
  };
  const store: Store = {
    admit: answered,
    permitRetry: answered,
    settle: (_key, report) => {
      reports.push(report);
      return operate();
    },
  };
  const shared = new SharedStore(store, RULES, 50, {
    learned: (key) => void heard.push(`learned ${key}`),
    orphaned: (key) => void heard.push(`orphaned ${key}`),
    unreachable: (reason) => void heard.push(`unreachable: ${reason}`),
    reachable: (afterMs) => void heard.push(`reachable after ${afterMs}`),
    cooldownMs: () => remembered,
  });
  const way: Way = { clock, shared, reports, heard, next: undefined };
  return way;
}

function ask({ shared, clock }: Way, key: string): unknown {
  return shared.ask(key, clock, (store, rules, nowMs) =>
    store.admit(key, { place: null, retry: false, line: 0 }, rules, nowMs),
  );
}

const fails = (): never => {
  throw new Error('full');
};
const never = (): Promise<Standing> => new Promise(() => {});
const isWell = ({ shared, clock }: Way, key: string): boolean => shared.isWell(key, clock.now());

/** Loses the store at 0 and finds it again at 100. */
function foundAgain(way: Way): void {
  way.next = fails;
  way.shared.report('lost', success, way.clock);
  way.next = undefined;
  way.clock.timeMs = 100;
  way.shared.report('lost', success, way.clock);
}

describe('what is known of the keys of a store', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('is nothing of a key that nobody has asked for', () => {
    const way = wayToStore();
    expect([way.shared.standing('a'), isWell(way, 'a')]).toEqual([null, false]);
  });

  test('is what an answer says, for each key by itself', () => {
    const way = wayToStore();
    expect(ask(way, 'a')).toEqual(ANSWER);
    ask(way, 'b');
    expect([isWell(way, 'a'), isWell(way, 'b'), isWell(way, 'c')]).toEqual([true, true, false]);
    expect(way.shared.standing('a')).toEqual(WELL);
    expect(way.heard).toEqual(['learned a', 'learned b']);
  });

  test('is worth nothing after the store was lost and found again, for it may be another', () => {
    const way = wayToStore();
    ask(way, 'a');
    foundAgain(way);
    expect([isWell(way, 'a'), isWell(way, 'lost')]).toEqual([false, true]);
    way.next = never;
    way.shared.report('new', success, way.clock);
    expect(isWell(way, 'new')).toBe(false);
    expect(way.heard.slice(1)).toEqual(['unreachable: error', 'reachable after 100', 'learned lost']);
  });

  test('is a cooldown that goes with a report to a store that may not know it, and with no other', () => {
    const way = wayToStore(500);
    for (let times = 0; times < 2; times += 1) way.shared.report('a', success, way.clock);
    expect(way.reports).toEqual([
      { ...success, hintMs: 500 },
      { ...success, hintMs: 0 },
    ]);
    foundAgain(way);
    way.shared.report('a', { ...success, hintMs: 700 }, way.clock);
    expect(way.reports.at(-1)).toEqual({ ...success, hintMs: 700 });
  });

  test('leaves those alone who have no line when the store is lost', () => {
    const way = wayToStore();
    for (const [key, askForMs] of [
      ['well', 0],
      ['over', 10],
      ['in line', 11],
    ] as const) {
      way.next = () => ({ ...WELL, askForMs });
      ask(way, key);
    }
    way.clock.timeMs = 10;
    way.next = fails;
    expect(ask(way, 'well')).toBeNull();
    expect(way.heard.slice(3)).toEqual(['orphaned in line', 'unreachable: error']);
  });
});

describe('reports to a store', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test.each<[what: string, report: Report, sent: number]>([
    ['a success gathers', success, 1],
    ['a place that is left gathers', { ...nothing, left: 1 }, 1],
    ['a failure goes', { ...nothing, failures: 1 }, 2],
    ['a hint goes', { ...nothing, hintMs: 5 }, 2],
    ['what a probe ended in goes', { ...nothing, probe: 'neither' }, 2],
  ])('while one is under way %s', (_what, report, sent) => {
    const way = wayToStore();
    way.next = never;
    way.shared.report('a', success, way.clock);
    way.shared.report('a', report, way.clock);
    expect(way.reports).toHaveLength(sent);
  });

  test('what has gathered goes when that one has been answered, and nothing where nothing has', async () => {
    const way = wayToStore();
    way.next = () => Promise.resolve(WELL);
    way.shared.report('a', success, way.clock);
    way.shared.report('a', { ...success, left: 1 }, way.clock);
    await vi.advanceTimersByTimeAsync(0);
    expect(way.reports).toEqual([success, { ...success, left: 1 }]);
  });

  test('go each by itself to a store that answers at once', () => {
    const way = wayToStore();
    for (let times = 0; times < 3; times += 1) way.shared.report('a', success, way.clock);
    expect(way.reports).toEqual([success, success, success]);
  });

  test('what a lost store missed is not told it later', async () => {
    const way = wayToStore();
    way.next = () => Promise.reject(new Error('full'));
    way.shared.report('a', success, way.clock);
    way.shared.report('a', { ...nothing, successes: 4, left: 2 }, way.clock);
    await vi.advanceTimersByTimeAsync(0);
    way.next = undefined;
    way.clock.timeMs = 100;
    way.shared.report('a', success, way.clock);
    expect(way.reports).toEqual([success, success]);
  });
});

describe('an answer that does not come', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['in time', 0, true],
    ['late by what a timer may be late', 5, true],
    ['later, for the process was busy', 6, false],
  ])('is given up when the timer comes %s', async (_when, lateMs, isLost) => {
    const way = wayToStore();
    way.next = never;
    void ask(way, 'a');
    way.clock.timeMs = 50 + lateMs;
    await vi.advanceTimersByTimeAsync(50);
    expect(way.shared.down).toBe(isLost);
  });

  test('is given up a moment after the process has been busy', async () => {
    const way = wayToStore();
    way.next = never;
    const asked = ask(way, 'a');
    way.clock.timeMs = 450;
    await vi.advanceTimersByTimeAsync(50);
    way.clock.timeMs = 455;
    await vi.advanceTimersByTimeAsync(5);
    expect(await asked).toBeNull();
    expect(way.heard).toEqual(['unreachable: timeout']);
  });

  test('and then fails late does not lose a store that was found again', async () => {
    const way = wayToStore();
    const late = Promise.withResolvers<Standing>();
    way.next = () => late.promise;
    const asked = ask(way, 'a');
    way.clock.timeMs = 50;
    await vi.advanceTimersByTimeAsync(50);
    expect(await asked).toBeNull();
    way.next = undefined;
    way.clock.timeMs = 200;
    way.shared.report('a', success, way.clock);
    late.reject(new Error('too late'));
    await vi.advanceTimersByTimeAsync(0);
    expect([way.shared.down, vi.getTimerCount()]).toEqual([false, 0]);
  });

  test('and then comes late is not heard', async () => {
    const way = wayToStore();
    const late = Promise.withResolvers<Standing>();
    way.next = () => late.promise;
    void ask(way, 'a');
    way.clock.timeMs = 50;
    await vi.advanceTimersByTimeAsync(50);
    late.resolve(WELL);
    await vi.advanceTimersByTimeAsync(0);
    expect([way.shared.down, way.heard]).toEqual([true, ['unreachable: timeout']]);
  });
});
