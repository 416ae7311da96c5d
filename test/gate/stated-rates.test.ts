import { describe, expect, test } from 'vitest';
import { Rate, SlidingCount } from '../../src/gate/stated-rates.ts';

describe('the distance of a rate', () => {
  /** The distance of the next request from one that is sent now. */
  const distanceMs = (rate: Rate): number => {
    rate.sent(1, 10_000);
    return rate.freeAtMs(10_000) - 10_000;
  };
  const perSecond = (): Rate => new Rate('requests', 1 / 1_000);

  test('is 5 % larger after a refusal, and twenty successes undo that', () => {
    const rate = perSecond();
    rate.refused();
    expect(distanceMs(rate)).toBeCloseTo(1.05 * 1_015);
    const other = perSecond();
    other.refused();
    for (let count = 0; count < 20; count += 1) other.served();
    expect(distanceMs(other)).toBeCloseTo(1_015);
  });

  test('is 5 % larger after many refusals without a success, as in an outage', () => {
    const rate = perSecond();
    for (let count = 0; count < 10; count += 1) rate.refused();
    expect(distanceMs(rate)).toBeCloseTo(1.05 * 1_015);
  });

  test('is at most 30 % larger, however often others cause refusals', () => {
    const rate = perSecond();
    for (let count = 0; count < 100; count += 1) {
      rate.served();
      rate.refused();
    }
    expect(distanceMs(rate)).toBeCloseTo(1.3 * 1_015);
  });

  test('does not make a request wait that comes after a pause', () => {
    const rate = perSecond();
    rate.sent(1, 10_000);
    rate.refused();
    expect(rate.freeAtMs(20_000)).toBe(20_000);
  });
});

test.each([
  [5, 20_000, 'at once, because so much is left'],
  [6, 61_000, 'when the first part of the minute is over'],
  [10, 61_000, 'when all of that part is free again'],
  [11, 71_000, 'when the second part is over'],
  [20, 71_000, 'then too, because a request of more than the limit counts as the limit'],
])('of 15 tokens in a minute, 5 and 5 of which are sent, %i more are free at %i ms: %s', (amount, freeAtMs) => {
  const count = new SlidingCount('tokens', 15, 60_000, 60);
  count.sent(5, 0);
  count.sent(5, 10_000);
  expect(count.freeAtMs(amount, 20_000)).toBe(freeAtMs);
});

test('tokens of more than a minute ago no longer count, and those of a clock that was set back do not either', () => {
  const count = new SlidingCount('tokens', 10, 60_000, 60);
  count.sent(10, 100_000);
  expect(count.freeAtMs(10, 160_000)).toBe(161_000);
  expect(count.freeAtMs(10, 161_000)).toBe(161_000);
  count.sent(10, 161_000);
  expect(count.freeAtMs(10, 50_000)).toBe(50_000);
});
