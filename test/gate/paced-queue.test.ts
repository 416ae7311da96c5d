import { describe, expect, test } from 'vitest';
import { PacedQueue, type PacedSlot } from '../../src/gate/paced-queue.ts';

const EVERY_100 = (): number => 100;

/** A queue, and a function that adds a call to it which plans to be sent at a moment. */
function queueOf(...planned: readonly number[]) {
  const queue = new PacedQueue();
  const join = (plannedMs: number, more: Partial<PacedSlot> = {}): PacedSlot => {
    const slot = { plannedMs, latestMs: Infinity, yields: false, tokens: 0, atMs: plannedMs, wake: null, ...more };
    queue.join(slot);
    return slot;
  };
  const slots = planned.map((plannedMs) => join(plannedMs));
  const turns = (freeMs: number): number[] => queue.slots.map((slot) => queue.turnMs(slot, freeMs, EVERY_100));
  return { queue, join, slots, turns };
}

describe('a queue', () => {
  test('is in the order in which calls plan to be sent, and of those with the same moment in which they came', () => {
    const { queue, slots, join } = queueOf(1_000, 3_000, 1_000);
    const between = join(2_000);
    expect(queue.slots).toEqual([slots[0], slots[2], between, slots[1]]);
    expect(queue.next(900)).toBeUndefined();
    expect(queue.next(5_000)).toBe(slots[0]);
  });

  test('tells each call when its turn comes, an interval after the one before it or when it plans', () => {
    expect(queueOf(1_000, 1_000, 1_000).turns(1_000)).toEqual([1_000, 1_100, 1_200]);
    expect(queueOf(1_000, 1_150, 5_000).turns(1_120)).toEqual([1_120, 1_220, 1_320]);
    const { queue, slots } = queueOf(1_000, 5_000);
    expect(slots.map((slot) => queue.turnMs(slot, 900, EVERY_100))).toEqual([900, 1_100]);
  });

  test('has no place for a call that has left or is sent, and knows when the last one was sent', () => {
    const { queue, slots, turns } = queueOf(1_000, 1_000, 1_000);
    for (const slot of slots.slice(0, 1)) queue.leave(slot);
    for (const slot of slots.slice(0, 1)) queue.leave(slot);
    expect(turns(1_000)).toEqual([1_000, 1_100]);
    queue.sent(slots[1] ?? null, 1_000);
    expect([queue.slots, queue.lastSentMs]).toEqual([[slots[2]], 1_000]);
    queue.sent(null, 2_000);
    expect([queue.slots, queue.lastSentMs]).toEqual([[slots[2]], 2_000]);
  });

  test('counts the calls that were told a later moment than they plan', () => {
    const { queue, join } = queueOf(1_000);
    join(1_000, { atMs: 1_100 });
    join(5_000);
    expect(queue.delayed).toBe(1);
  });

  test('can look at some of the calls only', () => {
    const { queue, slots } = queueOf(1_000, 1_000);
    expect(queue.next(1_000, (slot) => slot !== slots[0])).toBe(slots[1]);
    expect(queue.next(1_000, () => false)).toBeUndefined();
  });
});

describe('a call that yields', () => {
  test('comes behind first attempts, also those that come later', () => {
    const { queue, join, turns } = queueOf();
    const retry = join(1_000, { yields: true });
    const second = join(1_000, { yields: true });
    const first = join(1_050);
    expect(queue.next(1_000)).toBe(retry);
    expect(queue.next(1_050)).toBe(first);
    expect(turns(1_050)).toEqual([1_150, 1_250, 1_050]);
    queue.sent(first, 1_050);
    expect(queue.next(1_050)).toBe(retry);
    expect([retry, second].map((slot) => queue.turnMs(slot, 1_150, EVERY_100))).toEqual([1_150, 1_250]);
  });

  test('is not behind a first attempt that plans to be sent after its turn', () => {
    const { join, turns } = queueOf();
    join(1_000, { yields: true });
    join(2_000);
    expect(turns(1_000)).toEqual([1_000, 1_100]);
  });

  test('gets every twentieth turn', () => {
    const { queue, join } = queueOf();
    const retry = join(1_000, { yields: true });
    for (let count = 0; count < 19; count += 1) {
      const first = join(1_000);
      expect(queue.next(1_000)).toBe(first);
      queue.sent(first, 1_000);
    }
    const first = join(1_000);
    expect(queue.next(1_000)).toBe(retry);
    expect([retry, first].map((slot) => queue.turnMs(slot, 1_000, EVERY_100))).toEqual([1_000, 1_100]);
    queue.sent(retry, 1_000);
    join(1_000, { yields: true });
    expect(queue.next(1_000)).toBe(first);
  });
});
