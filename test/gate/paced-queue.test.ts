import { describe, expect, test } from 'vitest';
import { PacedQueue, type PacedSlot } from '../../src/gate/paced-queue.ts';

const everyMs = (ms: number) => (): number => ms;
const EVERY_100 = everyMs(100);

function slotFrom(earliestMs: number, more: Partial<PacedSlot> = {}): PacedSlot {
  return {
    atMs: earliestMs,
    plannedMs: earliestMs,
    earliestMs,
    latestMs: Number.POSITIVE_INFINITY,
    yields: false,
    yieldsFromMs: Number.POSITIVE_INFINITY,
    tokens: 0,
    wake: null,
    ...more,
  };
}

test('a queue that is let go gives every slot a moment from now on, and wakes its call', () => {
  const queue = new PacedQueue();
  const woken: number[] = [];
  for (const atMs of [60_000, 61_000, 62_000])
    queue.join(slotFrom(atMs, { plannedMs: 0, wake: () => void woken.push(atMs) }), EVERY_100);
  queue.letGo(1_000, 50);
  expect(queue.slots.map(({ atMs }) => atMs)).toEqual([1_000, 1_050, 1_100]);
  expect(woken).toEqual([60_000, 61_000, 62_000]);
});

test('a queue that is let go stays in the order of its moments, so that another call finds the first free one', () => {
  const queue = new PacedQueue();
  for (const plannedMs of [60_000, 0, 0]) queue.join(slotFrom(60_000, { plannedMs }), EVERY_100);
  queue.letGo(1_000, 100);
  expect(queue.slots.map(({ atMs }) => atMs)).toEqual([1_100, 1_200, 60_000]);
  const late = slotFrom(1_000);
  queue.join(late, EVERY_100);
  expect(late.atMs).toBe(1_000);
  expect(queue.slots.map(({ atMs }) => atMs)).toEqual([1_000, 1_100, 1_200, 60_000]);
});

test('a queue moves forward where the interval has become shorter, wakes those that are near, and keeps their plans', () => {
  const queue = new PacedQueue();
  const woken: number[] = [];
  const planned = [0, 0, 1_200, 0, 0];
  for (const [index, plannedMs] of planned.entries())
    queue.join(slotFrom(plannedMs, { plannedMs, wake: () => void woken.push(index) }), everyMs(5_000));
  // A call that does not wait yet.
  if (queue.slots[3] !== undefined) queue.slots[3].wake = null;
  queue.advance(1_000, 1_300, EVERY_100);
  expect(queue.slots.map(({ atMs }) => atMs)).toEqual([0, 1_000, 1_200, 1_300, 20_000]);
  expect(woken).toEqual([1, 2]);
});

test('the first slot of a queue moves forward also where its moment is not near, because no answer may come before it', () => {
  const queue = new PacedQueue();
  const woken: number[] = [];
  for (const index of [0, 1])
    queue.join(slotFrom(60_000, { plannedMs: 0, wake: () => void woken.push(index) }), EVERY_100);
  queue.sent(1_000);
  queue.advance(1_000, 2_000, everyMs(5_000));
  expect(queue.slots.map(({ atMs }) => atMs)).toEqual([6_000, 60_100]);
  expect(woken).toEqual([0]);
});

/** A queue with a slot every 100 ms from each moment on, and the function that adds another. */
function queueOf(...earliest: readonly number[]) {
  const queue = new PacedQueue();
  const join = (earliestMs: number, more: Partial<PacedSlot> = {}): PacedSlot => {
    const slot = slotFrom(earliestMs, more);
    queue.join(slot, EVERY_100);
    return slot;
  };
  const slots = earliest.map((earliestMs) => join(earliestMs));
  const moments = (): number[] => queue.slots.map(({ atMs }) => atMs);
  return { queue, join, slots, moments };
}

describe('a slot gets the first moment', () => {
  test.each<[string, readonly number[], number, number]>([
    ['that it plans, where the queue is empty', [], 1_000, 1_000],
    ['after the last', [1_000, 1_000], 1_000, 1_200],
    ['that is a whole interval after the one before it', [1_000, 1_000, 1_000], 1_150, 1_300],
    ['that it plans, where the others come later', [2_000], 1_000, 1_000],
    ['that it plans, where the next comes an interval later', [1_100], 1_000, 1_000],
    ['after the next, where that comes sooner', [1_099], 1_000, 1_199],
    ['that it plans, where the one before came an interval ago', [900], 1_000, 1_000],
    ['after the two between which there is no room', [1_000, 1_150], 1_000, 1_250],
  ])('that it can have: %s', (_what, others, earliestMs, atMs) => {
    expect(queueOf(...others).join(earliestMs).atMs).toBe(atMs);
  });

  test('in a gap that another has left', () => {
    const { queue, slots, join, moments } = queueOf(1_000, 1_000, 1_000);
    queue.leave(slots[1] ?? slotFrom(0));
    expect(join(1_000).atMs).toBe(1_100);
    expect(moments()).toEqual([1_000, 1_100, 1_200]);
    queue.leave(slotFrom(1_000));
    expect(moments()).toHaveLength(3);
  });

  test('an interval after the last attempt that was sent', () => {
    const { queue, join } = queueOf();
    queue.sent(1_000);
    queue.sent(900);
    expect(queue.nextFreeMs(100)).toBe(1_100);
    expect(join(1_000).atMs).toBe(1_100);
    join(1_300);
    expect(queue.nextFreeMs(100)).toBe(1_400);
  });

  test('that it can wait for at most, and those behind keep their distance', () => {
    const { join, moments } = queueOf(1_000, 1_000);
    expect(join(1_000, { latestMs: 1_050 }).atMs).toBe(1_050);
    expect(moments()).toEqual([1_000, 1_050, 1_150]);
    expect(queueOf(1_000).join(1_000, { latestMs: 900 }).atMs).toBe(1_000);
  });
});

describe('a call that yields', () => {
  test('is overtaken, and comes next', () => {
    const { join, moments } = queueOf();
    const retry = join(1_000, { yields: true });
    expect([join(1_000).atMs, retry.atMs]).toEqual([1_000, 1_100]);
    expect(moments()).toEqual([1_000, 1_100]);
    // Another that yields comes behind it.
    expect(join(1_000, { yields: true }).atMs).toBe(1_200);
  });

  test.each([
    [1_000, [1_000, 1_100]],
    [1_001, [1_000, 1_000]],
    [1_101, [1_100, 1_000]],
  ])('and may wait until %d is not moved beyond that', (latestMs, moments) => {
    const { join } = queueOf();
    const retry = join(1_000, { yields: true, latestMs });
    const first = join(1_000);
    expect([retry.atMs, first.atMs]).toEqual(moments);
  });

  test('gets every twentieth slot', () => {
    const { join } = queueOf();
    const retry = join(1_000, { yields: true });
    for (let count = 0; count < 19; count += 1) expect(join(1_000).atMs).toBe(1_000 + 100 * count);
    expect(retry.atMs).toBe(2_900);
    expect(join(1_000).atMs).toBe(3_000);
    expect(join(1_000).atMs).toBe(3_100);
    expect([retry.atMs, retry.yields]).toEqual([2_900, false]);
    // The next one is overtaken as often.
    const second = join(1_000, { yields: true });
    for (let count = 0; count < 19; count += 1) join(1_000);
    expect(second.yields).toBe(true);
    join(1_000);
    expect(second.yields).toBe(false);
  });

  test.each([
    [1_099, true],
    [1_100, false],
  ])('is a first attempt too that would wait beyond %d: %j', (yieldsFromMs, yields) => {
    const { join } = queueOf(1_000);
    const late = join(1_000, { yieldsFromMs });
    expect([late.atMs, late.yields]).toEqual([1_100, yields]);
    const next = join(1_000);
    expect([late.atMs, next.atMs]).toEqual(yields ? [1_200, 1_100] : [1_100, 1_200]);
  });

  test('and was to overtake another comes behind it', () => {
    const { join } = queueOf();
    const retry = join(1_000, { yields: true });
    const late = join(1_000, { yieldsFromMs: 900 });
    expect([retry.atMs, late.atMs, late.yields]).toEqual([1_000, 1_100, true]);
  });
});

describe('a queue', () => {
  test('counts the calls that wait longer than they planned', () => {
    const { queue, join } = queueOf(1_000, 1_000, 1_000);
    join(5_000);
    expect(queue.delayed).toBe(2);
  });

  test('moves a slot that has to wait, and those behind it', () => {
    const { queue, slots, moments } = queueOf(1_000, 1_000, 1_000);
    const [first, , last] = slots;
    queue.postpone(first ?? slotFrom(0), 1_150, EVERY_100);
    expect(moments()).toEqual([1_100, 1_150, 1_250]);
    expect([first?.atMs, last?.atMs]).toEqual([1_150, 1_250]);
    queue.postpone(first ?? slotFrom(0), 500, EVERY_100);
    expect(moments()).toEqual([1_100, 1_150, 1_250]);
  });

  test('that gets slower moves all, and none beyond its last moment or to an earlier one', () => {
    const { queue, join, moments } = queueOf();
    queue.sent(900);
    join(1_000);
    join(1_000, { latestMs: 1_250 });
    join(1_000);
    queue.slowDown(everyMs(10));
    expect(moments()).toEqual([1_000, 1_100, 1_200]);
    queue.slowDown(everyMs(300));
    expect(moments()).toEqual([1_200, 1_250, 1_550]);
    queue.extend(5_000);
    expect(queue.slots.map(({ latestMs }) => latestMs)).toEqual([5_000, 5_000, 5_000]);
    queue.extend(500);
    expect(queue.slots.map(({ latestMs }) => latestMs)).toEqual([1_000, 1_000, 1_000]);
  });
});
