import { describe, expect, test } from 'vitest';
import { SlidingLog } from '../../src/gate/sliding-log.ts';

const WINDOW_MS = 6_400;

function logOf(...sent: readonly (readonly [amount: number, atMs: number])[]): SlidingLog {
  const log = new SlidingLog();
  for (const [amount, atMs] of sent) log.sent(amount, atMs, WINDOW_MS);
  return log;
}

describe('what was sent under a sliding limit', () => {
  test('counts at the end of its part, which is a 64th of the window', () => {
    const log = logOf([3, 0], [2, 99], [4, 100]);
    expect([log.between(-1, 99), log.between(-1, 100), log.between(100, 200)]).toEqual([0, 5, 4]);
    expect([log.reachedMs(5, -1), log.reachedMs(6, -1), log.reachedMs(4, 100), log.reachedMs(10, -1)]).toEqual([
      100,
      200,
      200,
      null,
    ]);
  });

  test('leaves out a request that was refused', () => {
    const log = logOf([1, 0], [4, 1_000]);
    for (const sentMs of [1_050, 50, 50, 9_000]) log.refused(sentMs);
    expect([log.between(-1, 100), log.between(-1, 2_000)]).toEqual([0, 3]);
  });

  test('is kept for two windows', () => {
    const log = logOf(...Array.from({ length: 300 }, (_, index): [number, number] => [1, 100 * index]));
    expect(log.between(-1, 30_000)).toBe(128);
  });
});
