import { describe, expect, test } from 'vitest';
import { PacedQueue, type PacedSlot } from '../../src/gate/paced-queue.ts';

const EVERY_100 = (): number => 100;

/** A queue, and a function that adds a call to it. */
function queueOf(calls: number) {
  const queue = new PacedQueue();
  const join = (yields = false): PacedSlot => {
    const slot: PacedSlot = { latestMs: Infinity, yields, tokens: 0, atMs: 0, wake: null };
    queue.join(slot);
    return slot;
  };
  const slots = Array.from({ length: calls }, () => join());
  const turns = (freeMs: number): number[] => queue.slots.map((slot) => queue.turnMs(slot, freeMs, EVERY_100));
  return { queue, join, slots, turns };
}

describe('a queue', () => {
  test('tells each call when its turn comes, an interval after the one before it', () => {
    const { queue, slots, turns } = queueOf(3);
    expect(queue.next()).toBe(slots[0]);
    expect(turns(1_000)).toEqual([1_000, 1_100, 1_200]);
  });

  test('has no place for a call that has left or is sent, and knows when the last one was sent', () => {
    const { queue, slots, turns } = queueOf(3);
    for (const slot of slots.slice(0, 1)) queue.leave(slot);
    for (const slot of slots.slice(0, 1)) queue.leave(slot);
    expect(turns(1_000)).toEqual([1_000, 1_100]);
    queue.sent(slots[1] ?? null, 1_000);
    expect([queue.slots, queue.lastSentMs]).toEqual([[slots[2]], 1_000]);
    queue.sent(null, 2_000);
    expect([queue.slots, queue.lastSentMs]).toEqual([[slots[2]], 2_000]);
  });

  test('can look at some of the calls only', () => {
    const { queue, slots } = queueOf(2);
    expect(queue.next((slot) => slot !== slots[0])).toBe(slots[1]);
    expect(queue.next(() => false)).toBeUndefined();
  });
});

describe('a call that yields', () => {
  test('comes behind first attempts, also those that come later', () => {
    const { queue, join, turns } = queueOf(0);
    const retry = join(true);
    join(true);
    expect(queue.next()).toBe(retry);
    const first = join();
    expect(queue.next()).toBe(first);
    expect(turns(1_000)).toEqual([1_100, 1_200, 1_000]);
    queue.sent(first, 1_000);
    expect(queue.next()).toBe(retry);
    expect(turns(1_100)).toEqual([1_100, 1_200]);
  });

  test('gets every twentieth turn', () => {
    const { queue, join } = queueOf(0);
    const retry = join(true);
    for (let count = 0; count < 19; count += 1) {
      const first = join();
      expect(queue.next()).toBe(first);
      queue.sent(first, 1_000);
    }
    const first = join();
    expect(queue.next()).toBe(retry);
    expect([retry, first].map((slot) => queue.turnMs(slot, 1_000, EVERY_100))).toEqual([1_000, 1_100]);
    queue.sent(retry, 1_000);
    join(true);
    expect(queue.next()).toBe(first);
  });
});
