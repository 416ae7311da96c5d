import { describe, expect, test } from 'vitest';
import { Line, type Place } from '../../src/gate/line.ts';

const everyMs = (ms: number) => (): number => ms;
const EVERY_100 = everyMs(100);

function placeFrom(earliestMs: number, more: Partial<Place> = {}): Place {
  return {
    slotMs: earliestMs,
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

test('a line that is let go gives every place a moment from now on, and wakes its call', () => {
  const line = new Line();
  const woken: number[] = [];
  for (const slotMs of [60_000, 61_000, 62_000])
    line.join(placeFrom(slotMs, { plannedMs: 0, wake: () => void woken.push(slotMs) }), EVERY_100);
  line.letGo(1_000, 50);
  expect(line.places.map(({ slotMs }) => slotMs)).toEqual([1_000, 1_050, 1_100]);
  expect(woken).toEqual([60_000, 61_000, 62_000]);
});

test('a line moves forward where the interval has become shorter, wakes those that are near, and keeps their plans', () => {
  const line = new Line();
  const woken: number[] = [];
  const planned = [0, 0, 1_200, 0, 0];
  for (const [index, plannedMs] of planned.entries())
    line.join(placeFrom(plannedMs, { plannedMs, wake: () => void woken.push(index) }), everyMs(5_000));
  line.advance(1_000, 1_300, EVERY_100);
  expect(line.places.map(({ slotMs }) => slotMs)).toEqual([0, 1_000, 1_200, 1_300, 20_000]);
  expect(woken).toEqual([1, 2, 3]);
});

/** A line with a place every 100 ms from each moment on, and the function that adds another. */
function lineOf(...earliest: readonly number[]) {
  const line = new Line();
  const join = (earliestMs: number, more: Partial<Place> = {}): Place => {
    const place = placeFrom(earliestMs, more);
    line.join(place, EVERY_100);
    return place;
  };
  const places = earliest.map((earliestMs) => join(earliestMs));
  const slots = (): number[] => line.places.map(({ slotMs }) => slotMs);
  return { line, join, places, slots };
}

describe('a place gets the first moment', () => {
  test.each<[string, readonly number[], number, number]>([
    ['that it plans, where the line is empty', [], 1_000, 1_000],
    ['after the last', [1_000, 1_000], 1_000, 1_200],
    ['that is a whole interval after the one before it', [1_000, 1_000, 1_000], 1_150, 1_300],
    ['that it plans, where the others come later', [2_000], 1_000, 1_000],
    ['that it plans, where the next comes an interval later', [1_100], 1_000, 1_000],
    ['after the next, where that comes sooner', [1_099], 1_000, 1_199],
    ['that it plans, where the one before came an interval ago', [900], 1_000, 1_000],
    ['after the two between which there is no room', [1_000, 1_150], 1_000, 1_250],
  ])('that it can have: %s', (_what, others, earliestMs, slotMs) => {
    expect(lineOf(...others).join(earliestMs).slotMs).toBe(slotMs);
  });

  test('in a gap that another has left', () => {
    const { line, places, join, slots } = lineOf(1_000, 1_000, 1_000);
    line.leave(places[1] ?? placeFrom(0));
    expect(join(1_000).slotMs).toBe(1_100);
    expect(slots()).toEqual([1_000, 1_100, 1_200]);
    line.leave(placeFrom(1_000));
    expect(slots()).toHaveLength(3);
  });

  test('an interval after the last attempt that was sent', () => {
    const { line, join } = lineOf();
    line.sent(1_000);
    line.sent(900);
    expect(line.nextSlotMs(100)).toBe(1_100);
    expect(join(1_000).slotMs).toBe(1_100);
    join(1_300);
    expect(line.nextSlotMs(100)).toBe(1_400);
  });

  test('that it can wait for at most, and those behind keep their distance', () => {
    const { join, slots } = lineOf(1_000, 1_000);
    expect(join(1_000, { latestMs: 1_050 }).slotMs).toBe(1_050);
    expect(slots()).toEqual([1_000, 1_050, 1_150]);
    expect(lineOf(1_000).join(1_000, { latestMs: 900 }).slotMs).toBe(1_000);
  });
});

describe('a call that yields', () => {
  test('is overtaken, and comes next', () => {
    const { join, slots } = lineOf();
    const retry = join(1_000, { yields: true });
    expect([join(1_000).slotMs, retry.slotMs]).toEqual([1_000, 1_100]);
    expect(slots()).toEqual([1_000, 1_100]);
    // Another that yields comes behind it.
    expect(join(1_000, { yields: true }).slotMs).toBe(1_200);
  });

  test.each([
    [1_000, [1_000, 1_100]],
    [1_001, [1_000, 1_000]],
    [1_101, [1_100, 1_000]],
  ])('and may wait until %d is not moved beyond that', (latestMs, moments) => {
    const { join } = lineOf();
    const retry = join(1_000, { yields: true, latestMs });
    const first = join(1_000);
    expect([retry.slotMs, first.slotMs]).toEqual(moments);
  });

  test('gets every twentieth slot', () => {
    const { join } = lineOf();
    const retry = join(1_000, { yields: true });
    for (let count = 0; count < 19; count += 1) expect(join(1_000).slotMs).toBe(1_000 + 100 * count);
    expect(retry.slotMs).toBe(2_900);
    expect(join(1_000).slotMs).toBe(3_000);
    expect(join(1_000).slotMs).toBe(3_100);
    expect([retry.slotMs, retry.yields]).toEqual([2_900, false]);
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
    const { join } = lineOf(1_000);
    const late = join(1_000, { yieldsFromMs });
    expect([late.slotMs, late.yields]).toEqual([1_100, yields]);
    const next = join(1_000);
    expect([late.slotMs, next.slotMs]).toEqual(yields ? [1_200, 1_100] : [1_100, 1_200]);
  });

  test('and was to overtake another comes behind it', () => {
    const { join } = lineOf();
    const retry = join(1_000, { yields: true });
    const late = join(1_000, { yieldsFromMs: 900 });
    expect([retry.slotMs, late.slotMs, late.yields]).toEqual([1_000, 1_100, true]);
  });
});

describe('a line', () => {
  test('counts the calls that wait longer than they planned', () => {
    const { line, join } = lineOf(1_000, 1_000, 1_000);
    join(5_000);
    expect(line.delayed).toBe(2);
  });

  test('moves a place that has to wait, and those behind it', () => {
    const { line, places, slots } = lineOf(1_000, 1_000, 1_000);
    const [first, , last] = places;
    line.postpone(first ?? placeFrom(0), 1_150, EVERY_100);
    expect(slots()).toEqual([1_100, 1_150, 1_250]);
    expect([first?.slotMs, last?.slotMs]).toEqual([1_150, 1_250]);
    line.postpone(first ?? placeFrom(0), 500, EVERY_100);
    expect(slots()).toEqual([1_100, 1_150, 1_250]);
  });

  test('that gets slower moves all, and none beyond its last moment or to an earlier one', () => {
    const { line, join, slots } = lineOf();
    line.sent(900);
    join(1_000);
    join(1_000, { latestMs: 1_250 });
    join(1_000);
    line.slowDown(everyMs(10));
    expect(slots()).toEqual([1_000, 1_100, 1_200]);
    line.slowDown(everyMs(300));
    expect(slots()).toEqual([1_200, 1_250, 1_550]);
    line.extend(5_000);
    expect(line.places.map(({ latestMs }) => latestMs)).toEqual([5_000, 5_000, 5_000]);
    line.extend(500);
    expect(line.places.map(({ latestMs }) => latestMs)).toEqual([1_000, 1_000, 1_000]);
  });
});
