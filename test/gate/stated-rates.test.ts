import { describe, expect, test } from 'vitest';
import { DayCount, Rate } from '../../src/gate/stated-rates.ts';

describe('the distance of a rate', () => {
  /** The distance of the next request from one that is sent now. */
  const distanceMs = (rate: Rate): number => {
    rate.sent(0, 1, 10_000);
    return rate.freeAtMs(10_000) - 10_000;
  };
  const perSecond = (): Rate => new Rate('requests', 1 / 1_000);

  test('is 5 % larger after a refusal, and twenty successes undo that', () => {
    const rate = perSecond();
    rate.refused(0, 10_000);
    expect(distanceMs(rate)).toBeCloseTo(1.05 * 1_015);
    const other = perSecond();
    other.refused(0, 10_000);
    for (let count = 0; count < 20; count += 1) other.served();
    expect(distanceMs(other)).toBeCloseTo(1_015);
  });

  test('is 5 % larger after many refusals without a success, as in an outage', () => {
    const rate = perSecond();
    for (let count = 0; count < 10; count += 1) rate.refused(0, 10_000);
    expect(distanceMs(rate)).toBeCloseTo(1.05 * 1_015);
  });

  test('is at most 30 % larger, however often others cause refusals', () => {
    const rate = perSecond();
    for (let count = 0; count < 100; count += 1) {
      rate.served();
      rate.refused(0, 10_000);
    }
    expect(distanceMs(rate)).toBeCloseTo(1.3 * 1_015);
  });

  test('does not make a request wait that comes after a pause', () => {
    const rate = perSecond();
    rate.sent(0, 1, 10_000);
    rate.refused(0, 10_000);
    expect(rate.freeAtMs(20_000)).toBe(20_000);
  });
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PART_MS = 300_000;

test.each([
  [5, 2 * HOUR_MS, 'at once, because so much is left'],
  [6, DAY_MS + PART_MS, 'a day after the first part'],
  [10, DAY_MS + PART_MS, 'when all of that part is free again'],
  [11, DAY_MS + HOUR_MS + PART_MS, 'a day after the second part'],
  [20, DAY_MS + HOUR_MS + PART_MS, 'then too, because more than the limit counts as the limit'],
])('of 15 requests a day, 5 and 5 of which are sent, %i more are free at %i ms: %s', (more, freeAtMs) => {
  const count = new DayCount(15);
  count.sent(5, 1);
  count.sent(2, HOUR_MS + 1);
  count.sent(3, HOUR_MS + 2);
  expect(count.freeAtMs(more, 2 * HOUR_MS)).toBe(freeAtMs);
});

test('requests of more than a day ago no longer count', () => {
  const count = new DayCount(10);
  count.sent(10, 1);
  expect(count.freeAtMs(10, DAY_MS)).toBe(DAY_MS + PART_MS);
  expect(count.freeAtMs(10, DAY_MS + PART_MS)).toBe(DAY_MS + PART_MS);
  count.sent(10, DAY_MS + PART_MS);
  expect(count.freeAtMs(1, DAY_MS + PART_MS)).toBe(2 * DAY_MS + PART_MS);
});
