import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { SlidingLog } from '../../src/gate/sliding-log.ts';

const WINDOW_MS = 6_400;

function logOf(...sent: readonly (readonly [amount: number, atMs: number])[]): SlidingLog {
  const log = new SlidingLog();
  for (const [amount, atMs] of sent) log.sent(amount, atMs, WINDOW_MS);
  return log;
}

describe('what was sent under a sliding limit', () => {
  test('leaves a window after the end of its part, which is a 64th of the window', () => {
    const log = logOf([3, 0], [2, 99], [4, 100]);
    expect([log.leave(6_499, WINDOW_MS), log.sum]).toEqual([0, 9]);
    expect([log.leave(6_500, WINDOW_MS), log.sum]).toEqual([5, 4]);
    expect([log.leave(6_600, WINDOW_MS), log.sum]).toEqual([4, 0]);
  });

  test('is known as having left since a moment, for a report that is older', () => {
    const log = logOf([3, 0], [4, 1_000]);
    log.leave(7_500, WINDOW_MS);
    const since = [6_399, 6_400, 7_400].map((sinceMs) => log.leftSince(sinceMs, WINDOW_MS));
    expect(since).toEqual([7, 4, 0]);
  });

  test('is less if the server counts less: the oldest is forgotten first', () => {
    const log = logOf([3, 0], [4, 1_000]);
    log.keep(5);
    expect([log.sum, log.sentMs(1), log.sentMs(2), log.sentMs(6)]).toEqual([5, 100, 1_100, null]);
    log.keep(2);
    expect([log.sum, log.sentMs(1)]).toEqual([2, 1_100]);
  });

  test('leaves out a request that was refused, so that those before it still leave when they do', () => {
    const log = logOf([3, 0], [4, 1_000]);
    log.refused(1, 1_050);
    log.refused(9, 1_050);
    log.refused(1, 9_000);
    expect([log.sum, log.sentMs(3), log.sentMs(4)]).toEqual([3, 100, null]);
  });

  test.prop([
    fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 2_000 })), { maxLength: 300 }),
  ])('is in the log or has left, and the log stays short', (sent) => {
    const log = new SlidingLog();
    let [nowMs, all, left] = [0, 0, 0];
    for (const [amount, apartMs] of sent) {
      nowMs += apartMs;
      left += log.leave(nowMs, WINDOW_MS);
      log.sent(amount, nowMs, WINDOW_MS);
      all += amount;
    }
    expect(log.sum + left).toBe(all);
  });
});
