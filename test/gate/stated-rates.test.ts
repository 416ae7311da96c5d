import { describe, expect, test } from 'vitest';
import { Rate } from '../../src/gate/stated-rates.ts';

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
