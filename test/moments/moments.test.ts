import { describe, expect, test } from 'vitest';
import { Moments } from '../../src/moments/moments.ts';

const HOUR = 3_600_000;

describe('a moment', () => {
  test('is kept until it comes', () => {
    const moments = new Moments<string, string>();
    expect(moments.isEmpty).toBe(true);
    moments.hold('a', 0, 100, 'why', true);
    expect(moments.until('a', 99)).toEqual({ atMs: 100, because: 'why', isNamed: true });
    expect([moments.left('a', 40), moments.left('b', 40), moments.left('a', 100)]).toEqual([60, 0, 0]);
    expect(moments.isEmpty).toBe(true);
  });

  test.each([
    ['a later one', [100, true], [200, true], 200],
    ['the later one that was there', [200, true], [100, true], 200],
    ['a named one in place of a guess', [200, false], [100, true], 100],
    ['a named one, whatever is guessed later', [100, true], [200, false], 100],
    ['one that never comes', [Number.POSITIVE_INFINITY, false], [100, true], Number.POSITIVE_INFINITY],
  ] as const)('of one key is %s', (_title, [firstMs, isFirstNamed], [secondMs, isSecondNamed], atMs) => {
    const moments = new Moments<string, string>();
    moments.hold('a', 0, firstMs, 'first', isFirstNamed);
    moments.hold('a', 0, secondMs, 'second', isSecondNamed);
    expect(moments.until('a', 0)?.atMs).toBe(atMs);
  });

  test('has come after a sleep of the machine, in which the monotonic clock stops', () => {
    const moments = new Moments<string, string>();
    moments.compare(0, 0);
    moments.hold('a', 0, HOUR, 'why', true);
    moments.compare(HOUR - 10, 10);
    expect(moments.left('a', 10)).toBe(10);
    // One that is held afterwards is not shortened by that sleep.
    moments.hold('b', 10, HOUR, 'why', true);
    moments.compare(HOUR, 20);
    expect(moments.left('b', 20)).toBe(HOUR - 10);
  });

  test('comes no later because the wall clock was set back, and no sooner because the clocks drift', () => {
    const moments = new Moments<string, string>();
    moments.compare(HOUR, 0);
    moments.hold('a', 0, 1_000, 'why', true);
    for (let step = 1; step <= 9; step += 1) moments.compare(step * 100.5, step * 100);
    expect(moments.left('a', 900)).toBe(100);
  });
});

test('no more than a thousand moments are kept', () => {
  const moments = new Moments<number, string>();
  for (let key = 0; key <= 1_000; key += 1) moments.hold(key, 0, 100, 'why', true);
  expect([moments.left(0, 0), moments.left(1, 0), moments.left(1_000, 0)]).toEqual([0, 100, 100]);
});

test('a moment that has come does not keep a guess from counting', () => {
  const moments = new Moments<string, string>();
  moments.hold('a', 0, 250, 'a rate limit', true);
  moments.hold('a', 2_000, HOUR, 'a quota', false);
  expect(moments.left('a', 2_000)).toBe(HOUR);
});
