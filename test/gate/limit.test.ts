import { describe, expect, test } from 'vitest';
import type { FailureType } from '../../src/index.ts';
import { Limit, type Sender } from '../../src/gate/limit.ts';
import type { PacedSlot } from '../../src/gate/paced-queue.ts';
import { Traffic } from '../../src/gate/traffic.ts';

const middle = (): number => 0.5;
/** Whether a call is sent, as a session asks for it. */
function take(limit: Limit, slot: PacedSlot, nowMs: number, sending: number, from: Sender): boolean {
  if (!limit.admits(slot, nowMs, sending)) return false;
  limit.sent(slot, nowMs, from);
  return true;
}
/** A slot of a call that was told when its turn comes. */
function join(limit: Limit, nowMs: number, yields: boolean): PacedSlot {
  const slot = limit.join(nowMs, yields, 0);
  limit.turnOf(slot, nowMs);
  return slot;
}
const sender = (sentMs = 0, others = 0): Sender => ({ sentMs, others, isRetry: false, isStated: false });

/** A limit with its traffic, as a session tells both of what an attempt ended in. */
function limited() {
  const traffic = new Traffic(0);
  const limit = new Limit(traffic);
  const refuse = (
    nowMs: number,
    { from = sender(nowMs), hintMs = 0, isRetry = false, random = middle } = {},
  ): boolean => {
    traffic.add(nowMs, false, isRetry);
    return limit.refused(nowMs, from, 'overloaded', hintMs, random);
  };
  const serve = (nowMs: number, { from = sender(nowMs), isRetry = false } = {}): void => {
    traffic.add(nowMs, true, isRetry);
    limit.served(nowMs, from);
  };
  /** The moments of the probes from now on, each of which is refused. */
  const probes = (count: number): number[] =>
    Array.from({ length: count }, () => {
      const atMs = limit.heldUntil(0);
      const probe = sender(atMs);
      expect(take(limit, join(limit, atMs, false), atMs - 1, 0, sender())).toBe(false);
      expect(take(limit, join(limit, atMs, false), atMs, 0, probe)).toBe(true);
      refuse(atMs, { from: probe });
      return atMs;
    });
  return { limit, traffic, refuse, serve, probes };
}

/** Nothing gets through from 0 on; the hold begins at 1,200. */
function held(options: Parameters<ReturnType<typeof limited>['refuse']>[1] = {}) {
  const all = limited();
  const began = [0, 400, 800, 1_200].map((nowMs) => all.refuse(nowMs, options));
  return { ...all, began };
}

/** Held, by refusals whose hints end at these moments. */
function hinted(...untilMs: readonly number[]) {
  const all = limited();
  for (const [index, endMs] of untilMs.entries()) all.refuse(400 * index, { hintMs: endMs - 400 * index });
  return all;
}

describe('a limit', () => {
  test('is open at first, and tells others that nothing is known', () => {
    const { limit } = limited();
    expect([limit.isOpen(0, 0, 0), limit.heldUntil(0), limit.heldBy]).toEqual([true, 0, null]);
    expect(limit.report(0)).toEqual({ counts: [1, 0, 1_000], wantsProbe: false });
  });

  test('stays open while what is refused now and then succeeds', () => {
    const { limit, refuse, serve } = limited();
    for (let nowMs = 0; nowMs < 60_000; nowMs += 200) {
      if (nowMs % 1_000 === 0) refuse(nowMs);
      else serve(nowMs);
      expect(limit.isOpen(nowMs, 0, 0)).toBe(true);
    }
  });
});

describe('a hold', () => {
  test('begins with the fourth refusal in a row, a second after the first', () => {
    const { began, limit } = held();
    expect([began, limit.heldBy]).toEqual([[false, false, false, true], 'overloaded']);
    expect([limit.isOpen(1_200, 0, 0), limit.isForgotten(1_200)]).toEqual([false, false]);
  });

  test.each([
    ['three in a row', [0, 2_000, 4_000], false],
    ['four within a second', [0, 300, 600, 999], false],
    ['four in a second', [0, 300, 600, 1_000], true],
  ])('for %s with %j: %j', (_what, moments, isHeld) => {
    const { refuse } = limited();
    expect(moments.map((nowMs) => refuse(nowMs)).at(-1)).toBe(isHeld);
  });

  test('begins a second and the time of an answer after the last success', () => {
    const { refuse, serve } = limited();
    serve(5_000, { from: sender(0) });
    expect([5_100, 5_200, 5_300, 6_999].map((nowMs) => refuse(nowMs))).toEqual([false, false, false, false]);
    expect(refuse(7_100)).toBe(true);
  });

  test('waits longer where silences have ended by themselves, but not for ever', () => {
    const { refuse, serve } = limited();
    for (const nowMs of [0, 100, 200, 900]) refuse(nowMs);
    serve(4_000);
    expect([4_000, 4_100, 4_200, 9_999].map((nowMs) => refuse(nowMs)).at(-1)).toBe(false);
    expect(refuse(10_001)).toBe(true);
    const other = limited();
    for (const nowMs of [0, 100, 200, 900]) other.refuse(nowMs);
    other.serve(60_000);
    expect([60_000, 60_100, 60_200, 67_499].map((nowMs) => other.refuse(nowMs)).at(-1)).toBe(false);
    expect(other.refuse(67_500)).toBe(true);
  });

  test('does not wait for a silence of fewer refusals', () => {
    const { refuse, serve } = limited();
    for (const nowMs of [0, 100, 200]) refuse(nowMs);
    serve(4_000);
    expect([4_000, 4_100, 4_200, 5_100].map((nowMs) => refuse(nowMs)).at(-1)).toBe(true);
  });

  test.each([
    [0, 1_625],
    [0.5, 1_700],
    [1, 1_775],
  ])('looks for the server after half a second, spread by chance: %d', (chance, untilMs) => {
    expect(held({ random: () => chance }).limit.heldUntil(1_300)).toBe(untilMs);
  });

  test('looks ever later, and at least every five seconds', () => {
    const moments = held().probes(9);
    const gaps = moments.map((moment, index) => moment - (moments[index - 1] ?? 1_200));
    expect(gaps).toEqual([500, 750, 1_125, 1_687.5, 2_531.25, 3_796.875, 5_000, 5_000, 5_000]);
  });

  test('is not made longer by refusals of attempts that are no probe', () => {
    const { limit, refuse } = held();
    expect(refuse(1_300)).toBe(false);
    expect(limit.heldUntil(1_300)).toBe(1_700);
  });

  test('lets one probe go at a time, the next when it is forgotten or does not come back', () => {
    const { limit } = held();
    const [one, other] = [join(limit, 1_700, false), join(limit, 1_700, false)];
    const probe = sender(1_700);
    expect(take(limit, one, 1_700, 0, probe)).toBe(true);
    expect(take(limit, other, 31_699, 0, sender())).toBe(false);
    limit.forgetProbe(sender());
    expect(take(limit, other, 31_699, 0, sender())).toBe(false);
    expect(take(limit, other, 31_700, 0, probe)).toBe(true);
    limit.forgetProbe(probe);
    expect(take(limit, other, 31_701, 0, probe)).toBe(true);
  });

  test.each([
    ['a success', 'served'],
    ['an answer that is no success', 'answered'],
  ] as const)('ends with %s, and the limit is open four seconds later', (_what, end) => {
    const { limit } = held();
    limit[end](2_000, sender(1_700));
    expect([limit.heldUntil(2_000), limit.heldBy, limit.isOpen(2_000, 0, 0)]).toEqual([0, null, false]);
    expect([limit.isOpen(6_000, 0, 0), limit.isOpen(6_001, 0, 0)]).toEqual([false, true]);
  });

  test('ends in a pace one and a half times that before it', () => {
    const { limit, refuse, serve } = limited();
    for (let nowMs = 0; nowMs < 10_000; nowMs += 100) serve(nowMs);
    for (const nowMs of [10_000, 10_400, 10_800, 11_200]) refuse(nowMs);
    expect(limit.heldBy).toBe('overloaded');
    serve(12_000);
    const slots = [0, 1, 2, 3].map(() => join(limit, 12_000, true));
    const [first, second] = slots.map(({ atMs }, index) => atMs - (slots[index - 1]?.atMs ?? atMs)).slice(2);
    expect(first).toBeCloseTo(second ?? 0);
    expect(first).toBeGreaterThan(1_000 / 15.5);
    // The first refusals count as silence already.
    expect(first).toBeLessThan(1_000 / 12);
  });
});

describe('hints during a hold', () => {
  test('are the time until which nothing gets through', () => {
    expect(held({ hintMs: 3_000 }).limit.heldUntil(1_200)).toBe(4_200);
  });

  test('that agree are probed no later than they say', () => {
    const { limit } = hinted(5_000, 5_000, 5_000, 5_000);
    // Half of the rest.
    expect(take(limit, join(limit, 0, false), 3_099, 0, sender())).toBe(false);
    expect(take(limit, join(limit, 0, false), 3_100, 0, sender())).toBe(true);
  });

  test.each([
    ['are rounded: the earliest of them counts', 5_000, [5_000, 6_000, 5_500, 6_000]],
    ['that do not agree are replaced by the last', 4_000, [5_000, 6_100, 9_000, 4_000]],
  ])('%s, and the hold is over at %i', (_what, atMs, untilMs) => {
    expect(hinted(...untilMs).limit.heldUntil(1_200)).toBe(atMs);
  });
});

describe('the moment that a call is told during a hold', () => {
  test('is that of the probe for the first, and a result later for the others', () => {
    const { limit } = held();
    const slots = [0, 1, 2].map(() => join(limit, 1_200, false));
    const turns = slots.map((slot) => limit.turnOf(slot, 1_200));
    expect(turns.map(({ atMs }) => atMs)).toEqual([1_700, 2_100, 2_350]);
    expect(turns.map(({ heldUntilMs }) => heldUntilMs)).toEqual([1_700, 1_700, 1_700]);
  });

  test('is half a second and a result away while a probe is under way', () => {
    const { limit } = held();
    const [first, second] = [join(limit, 1_200, false), join(limit, 1_200, false)];
    expect(take(limit, first, 1_700, 0, sender(1_700))).toBe(true);
    limit.queue.leave(first);
    expect(limit.turnOf(second, 1_700).atMs).toBe(2_350);
  });

  test('is never at once', () => {
    const { limit } = held();
    expect(limit.turnOf(join(limit, 1_200, false), 1_699).atMs).toBe(1_709);
  });

  test('is the promised one for all but the first, where hints agree', () => {
    const { limit } = hinted(5_000, 5_000, 5_000, 5_000);
    const slots = [0, 1, 2].map(() => join(limit, 1_200, false));
    expect(slots.map((slot) => limit.turnOf(slot, 1_200).atMs)).toEqual([3_100, 5_250, 5_500]);
  });
});

describe('a pace', () => {
  /** Ten a second are served of those that are sent; half are refused, retries too. */
  function paced() {
    const all = limited();
    for (let nowMs = 0; nowMs < 10_000; nowMs += 100) {
      all.serve(nowMs, { isRetry: nowMs % 200 === 0 });
      all.refuse(nowMs, { isRetry: nowMs % 200 === 0 });
    }
    return all;
  }
  const gapsOf = (limit: Limit, yields: boolean): number[] => {
    const slots = [0, 1, 2, 3].map(() => join(limit, 10_000, yields).atMs);
    return slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0));
  };

  test('is a little faster than the server delivers', () => {
    const { limit } = paced();
    expect(limit.isOpen(10_000, 0, 0)).toBe(false);
    for (const gapMs of gapsOf(limit, true)) expect(gapMs).toBeCloseTo(1_000 / 11.5, -1);
  });

  test('costs a first attempt a quarter of a second at most', () => {
    const { limit } = paced();
    for (let count = 0; count < 1_000; count += 1) join(limit, 10_000, true);
    expect(join(limit, 10_000, true).latestMs).toBe(Infinity);
    const first = join(limit, 10_000, false);
    expect([first.latestMs, first.yields]).toEqual([10_250, false]);
  });

  test('is kept by a retry that has waited for long, and by a first attempt', () => {
    for (const [yields, nowMs] of [
      [true, 40_000],
      [false, 40_000],
    ] as const) {
      const { limit, refuse, serve } = paced();
      const slot = join(limit, 10_000, yields);
      // The trouble goes on.
      for (let count = 10; count > 0; count -= 1) {
        serve(nowMs - count * 10, { isRetry: true });
        refuse(nowMs - count * 10, { isRetry: true });
      }
      expect(take(limit, slot, nowMs, 0, sender(nowMs))).toBe(true);
      expect(limit.isOpen(nowMs, 0, 0)).toBe(false);
    }
  });

  test('sends calls at an interval, and each in its turn', () => {
    const { limit } = paced();
    const [first, second] = [join(limit, 10_000, true), join(limit, 10_000, true)];
    expect(take(limit, second, 10_000, 0, sender())).toBe(false);
    expect(take(limit, first, 10_000, 0, sender())).toBe(true);
    const { atMs, heldUntilMs } = limit.turnOf(second, 10_000);
    expect([atMs - 10_000, heldUntilMs]).toEqual([expect.closeTo(1_000 / 11.5, -1), 0]);
    expect(take(limit, second, atMs - 2, 0, sender())).toBe(false);
    expect(take(limit, second, atMs - 1, 0, sender())).toBe(true);
  });

  test('does not wait for a call that has not asked at the moment that it was told', () => {
    const { limit } = paced();
    const [, second] = [join(limit, 10_000, true), join(limit, 10_000, true)];
    expect(take(limit, second, second.atMs, 0, sender())).toBe(true);
  });

  test('wakes the next call where it was told a later moment than necessary', () => {
    const { limit } = paced();
    const [first, second] = [join(limit, 10_000, true), join(limit, 10_000, true)];
    const woken: string[] = [];
    second.wake = () => void woken.push('second');
    second.atMs = 20_000;
    expect(take(limit, first, 10_000, 0, sender())).toBe(true);
    expect([woken, second.atMs < 10_200]).toEqual([['second'], true]);
  });

  test('ends four seconds after the last trouble', () => {
    const { limit } = paced();
    expect([limit.isOpen(13_900, 0, 0), limit.isOpen(13_901, 0, 0)]).toEqual([false, true]);
  });
});

describe('a server that blocks for a while after an excess', () => {
  const OPEN_MS = 5_000;

  /** Serves ten a second for five seconds, then refuses all for a while, and so on. Returns the end of the last block. */
  function blockedFor(blocksMs: readonly number[], type: FailureType = 'rate_limit', isStated = false) {
    const { limit, traffic, serve } = limited();
    let nowMs = 0;
    for (const blockMs of blocksMs) {
      for (const endMs = nowMs + OPEN_MS; nowMs < endMs; nowMs += 100) serve(nowMs);
      for (const endMs = nowMs + blockMs; nowMs < endMs; nowMs += 500) {
        traffic.add(nowMs, false, false);
        limit.refused(nowMs, { ...sender(nowMs), isStated }, type, 0, middle);
      }
      serve(nowMs);
    }
    return { limit, endMs: nowMs };
  }

  test('is not asked faster than it serves until twelve times the second block is over', () => {
    const { limit, endMs } = blockedFor([15_000, 15_000]);
    const slots = [1, 2].map(() => join(limit, endMs, false));
    for (const { latestMs } of slots) expect(latestMs).toBe(endMs + 12 * 15_000);
    const [first = 0, second = 0] = slots.map(({ atMs }) => atMs).toSorted((one, other) => one - other);
    expect(second - first).toBeGreaterThan(100);
    // A first attempt that cannot go soon waits behind those that can.
    const crowd = Array.from({ length: 20 }, () => join(limit, endMs, false));
    expect(crowd.some(({ yields }) => yields)).toBe(true);
    expect(limit.isOpen(endMs + 100_000, 0, 0)).toBe(false);
    expect(limit.isOpen(endMs + 180_000, 0, 0)).toBe(true);
  });

  test.each<[string, ReturnType<typeof blockedFor>]>([
    ['after one block', blockedFor([15_000])],
    ['after two that a window may have caused', blockedFor([50_000, 50_000])],
    ['after two outages', blockedFor([15_000, 15_000], 'overloaded')],
    ['where the user has stated a limit, because others exceed it', blockedFor([15_000, 15_000], 'rate_limit', true)],
    ['after two that are too long to wait for', blockedFor([35_000, 35_000])],
  ])('is asked as always %s', (_when, { limit, endMs }) => {
    expect(join(limit, endMs, false).latestMs).toBe(endMs + 250);
  });
});

describe('a limit on requests at a time', () => {
  const nowMs = 20_000;

  /** Four at a time are served; a fifth is refused. */
  function full({ answerMs = 100 } = {}) {
    const all = limited();
    for (let endMs = 100; endMs <= 8_000; endMs += 100) {
      all.serve(endMs, { from: sender(endMs - answerMs, (endMs / 100 - 1) % 4) });
      if (endMs % 200 !== 0) all.refuse(endMs, { from: sender(endMs - 20, 4) });
    }
    return all;
  }

  test('closes the gate while it is reached, for a quarter of a second at most for a first attempt', () => {
    const { limit } = full();
    expect([limit.isOpen(nowMs, 0, 3), limit.isOpen(nowMs, 0, 4)]).toEqual([true, false]);
    const slot = join(limit, nowMs, false);
    expect(take(limit, slot, nowMs, 4, sender())).toBe(false);
    // A slot becomes free every 25 ms.
    expect(slot.atMs).toBeCloseTo(nowMs + 25, 2);
    expect(take(limit, slot, nowMs + 25, 3, sender())).toBe(true);
    expect(take(limit, join(limit, nowMs, false), nowMs + 249, 4, sender())).toBe(true);
    expect(take(limit, join(limit, nowMs, false), nowMs + 248, 4, sender())).toBe(false);
    expect(take(limit, join(limit, nowMs, true), nowMs + 60_000, 4, sender())).toBe(false);
  });

  test('lets a first attempt wait for half the time of a response, where that is longer', () => {
    const { limit } = full({ answerMs: 2_000 });
    expect(join(limit, nowMs, false).latestMs).toBeCloseTo(nowMs + 1_000, 2);
  });

  /** The names of the calls that are woken in turn, each of which waits from `nowMs` on. */
  function waiting(limit: Limit, ...calls: readonly (readonly [name: string, isRetry: boolean])[]) {
    const woken: string[] = [];
    const slots = calls.map(([name, isRetry]) => {
      const slot = join(limit, nowMs, isRetry);
      slot.wake = () => void woken.push(name);
      return slot;
    });
    return { slots, woken };
  }

  test('sends a waiting call for each slot that becomes free, first attempts before retries', () => {
    const { limit } = full();
    const calls = waiting(limit, ['retry', true], ['first', false]);
    limit.freed(nowMs + 5, 4);
    expect(calls.woken).toEqual([]);
    limit.freed(nowMs + 5, 3);
    expect(calls.woken).toEqual(['first']);
    expect(take(limit, calls.slots[1] ?? join(limit, 0, false), nowMs + 5, 3, sender())).toBe(true);
    // What is still on its way to its slot is not woken twice.
    limit.freed(nowMs + 6, 2);
    expect(calls.woken).toEqual(['first', 'retry']);
    limit.freed(nowMs + 7, 0);
    expect(calls.woken).toEqual(['first', 'retry']);
  });

  test('sends no waiting call during a hold, or where what is announced keeps calls apart', () => {
    const during = full();
    const { woken } = waiting(during.limit, ['first', false]);
    for (let count = 0; count < 4; count += 1) during.refuse(nowMs + 500 * count, { from: sender(nowMs, 0) });
    expect(during.limit.heldUntil(nowMs + 1_500)).toBeGreaterThan(0);
    during.limit.freed(nowMs + 1_500, 0);
    expect(woken).toEqual([]);
    const { limit } = full();
    const report = { name: 'requests', unit: 'requests', limit: 10, remaining: 1, resetMs: 8_000 } as const;
    const request = { send: null, sentMs: nowMs - 100, answeredMs: nowMs, wasRefused: false };
    limit.hear([report], request, 0);
    limit.sent(null, nowMs, sender());
    const apart = waiting(limit, ['first', false]);
    limit.freed(nowMs, 0);
    expect(apart.woken).toEqual([]);
  });
});

describe('a limit that processes share', () => {
  /** `delivered`: to this process, and `toOthers`, in 1,000 s. */
  const lease = (
    { limit }: Pick<ReturnType<typeof limited>, 'limit'>,
    nowMs: number,
    { delivered = 20_000, toOthers = 0, wantsProbe = false, mayProbe = false } = {},
  ): void =>
    limit.lease(
      { total: [2, delivered + toOthers, 1_000], mayProbe },
      { counts: [1, delivered, 1_000], wantsProbe },
      nowMs,
    );

  test('tells what it delivers and wants', () => {
    const { limit, serve } = limited();
    for (let nowMs = 0; nowMs <= 10_000; nowMs += 100) serve(nowMs);
    const [, delivered, wanted] = limit.report(10_000).counts;
    expect(delivered / 1_000).toBeCloseTo(10, 0);
    join(limit, 10_000, false);
    expect(limit.report(10_000).counts).toEqual([1, delivered, wanted + 1_000]);
  });

  test('tells nothing as soon as nothing gets through, held or not', () => {
    const { limit, serve, refuse } = limited();
    for (let nowMs = 0; nowMs <= 1_000; nowMs += 100) serve(nowMs);
    expect(limit.report(3_500).counts[1]).toBeGreaterThan(0);
    refuse(2_900);
    expect(limit.report(3_000).counts[1]).toBeGreaterThan(0);
    expect(limit.report(3_001).counts[1]).toBe(0);
    const other = limited();
    for (let nowMs = 0; nowMs <= 1_000; nowMs += 100) other.serve(nowMs);
    for (const nowMs of [1_001, 1_002, 1_003, 2_100]) other.refuse(nowMs);
    expect([other.limit.heldBy, other.limit.report(2_100).counts[1]]).toEqual(['overloaded', 0]);
  });

  test('asks for a probe when it is time for one, and sends it with a permit only', () => {
    const { limit } = held();
    limit.asksForProbes = true;
    expect([1_699, 1_700].map((nowMs) => limit.report(nowMs).wantsProbe)).toEqual([false, true]);
    const slot = join(limit, 1_700, false);
    expect(take(limit, slot, 1_700, 0, sender())).toBe(false);
    lease({ limit }, 1_700, { wantsProbe: true, mayProbe: true });
    expect(limit.report(1_700).wantsProbe).toBe(false);
    const probe = sender(1_700);
    expect(take(limit, slot, 1_700, 0, probe)).toBe(true);
    expect(limit.report(1_700).wantsProbe).toBe(false);
    limit.forgetProbe(probe);
    expect([take(limit, slot, 1_700, 0, probe), limit.report(1_700).wantsProbe]).toEqual([false, true]);
  });

  test('asks again later where another process looks', () => {
    const { limit } = held();
    lease({ limit }, 1_800);
    expect(limit.heldUntil(1_800)).toBe(1_800);
    lease({ limit }, 1_800, { wantsProbe: true });
    expect(limit.heldUntil(1_800)).toBe(2_550);
  });

  test('is released when the server delivers to another', () => {
    const { limit } = held();
    lease({ limit }, 1_300, { toOthers: 1 });
    expect([limit.heldUntil(1_300), limit.heldBy]).toEqual([0, null]);
  });

  test('is paced by its share while that is young', () => {
    const { limit, serve } = held();
    serve(2_000);
    const gapMs = (nowMs: number): number => {
      const slots = [0, 1, 2].map(() => join(limit, nowMs, true));
      for (const slot of slots) limit.queue.leave(slot);
      return (slots[2]?.atMs ?? 0) - (slots[1]?.atMs ?? 0);
    };
    lease({ limit }, 2_100);
    expect(gapMs(2_100)).toBeCloseTo(1_000 / 20 / 1.15);
    lease({ limit }, 2_200, { delivered: 0 });
    expect(gapMs(2_200)).toBeCloseTo(1_000 / 1.15);
  });
});
