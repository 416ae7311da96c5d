import { describe, expect, test } from 'vitest';
import { countWindowed, emptyWindow, exceedsWindowed, type WindowedCounter } from '../../src/gate/windowed-counter.ts';

const RULE = { kind: 'windowed', windowMs: 10_000, failureRatio: 0.5, minimumCalls: 10 } as const;

function counted(...steps: readonly (readonly [atMs: number, successes: number, failures: number])[]): WindowedCounter {
  return steps.reduce(
    (counter, [atMs, successes, failures]) => countWindowed(counter, successes, failures, RULE, atMs),
    emptyWindow(0),
  );
}

describe('the windowed counter', () => {
  test.each([
    ['too few calls prove nothing', counted([0, 0, 9]), 0, false],
    ['half of enough calls is enough', counted([0, 5, 5]), 0, true],
    ['less than half is not', counted([0, 6, 5]), 0, false],
    ['the older half counts in full when the younger one begins', counted([4_999, 5, 5]), 5_000, true],
    ['and fades with it', counted([4_999, 5, 5]), 7_500, false],
    ['both halves count together', counted([1_000, 0, 8], [6_000, 0, 4]), 6_000, true],
    ['what is older than the window is gone', counted([0, 0, 100]), 15_000, false],
  ])('%s', (_, counter, atMs, exceeded) => {
    expect(exceedsWindowed(counter, RULE, atMs)).toBe(exceeded);
  });

  test('begins anew after a pause', () => {
    expect(counted([0, 0, 100], [60_000, 1, 0])).toMatchObject({ sinceMs: 60_000, calls: 1, olderCalls: 0 });
  });

  test('fades out what is older than half of its time, calls and failures alike', () => {
    const calls = countWindowed(emptyWindow(0), 6, 4, { ...RULE, windowMs: 10_000 }, 0);
    const exceeds = (minimumCalls: number, failureRatio: number): boolean =>
      exceedsWindowed(calls, { kind: 'windowed', windowMs: 10_000, minimumCalls, failureRatio }, 7_500);
    expect([exceeds(5, 0.4), exceeds(6, 0.4), exceeds(5, 0.5)]).toEqual([true, false, false]);
  });

  test('stays what it is when it moves on', () => {
    const moved = countWindowed(countWindowed(emptyWindow(0), 6, 4, RULE, 0), 1, 0, RULE, RULE.windowMs / 2);
    expect(moved).toEqual({
      kind: 'windowed',
      sinceMs: RULE.windowMs / 2,
      calls: 1,
      failures: 0,
      olderCalls: 10,
      olderFailures: 4,
    });
  });
});
