import { describe, expect, test } from 'vitest';
import { Traffic } from '../../src/gate/traffic.ts';

/** This many attempts per second for this time; each `refusedEach`-th is refused. Returns the time. */
function count(traffic: Traffic, fromMs: number, perSecond: number, seconds: number, refusedEach = 0): number {
  const attempts = perSecond * seconds;
  for (let attempt = 1; attempt <= attempts; attempt += 1)
    traffic.add(
      fromMs + (attempt * 1_000) / perSecond,
      refusedEach === 0 || attempt % refusedEach > 0,
      attempt % 2 > 0,
    );
  return fromMs + seconds * 1_000;
}

describe('the recent outcomes of attempts', () => {
  test.each([2, 10, 60])('give the successes per second after %d seconds', (seconds) => {
    const traffic = new Traffic(1_000);
    const nowMs = count(traffic, 1_000, 20, seconds);
    expect(traffic.servedPerSecond(nowMs) / 20).toBeCloseTo(1, 1);
    expect(traffic.firstAttemptsPerSecond(nowMs) / 10).toBeCloseTo(1, 1);
  });

  test('are numbers after a clock was set back by a day', () => {
    const traffic = new Traffic(0);
    const nowMs = count(traffic, 86_400_000, 20, 10);
    traffic.add(nowMs - 86_400_000, true, false);
    expect(traffic.servedPerSecond(nowMs - 86_400_000) / 20).toBeCloseTo(1, 1);
  });

  test('follow a rate that has changed', () => {
    const traffic = new Traffic(0);
    const nowMs = count(traffic, count(traffic, 0, 20, 60), 5, 20);
    expect(traffic.servedPerSecond(nowMs)).toBeLessThan(6);
  });

  test('give the share of refusals, of all attempts and of the retries, if there are enough', () => {
    const traffic = new Traffic(0);
    for (const isRetry of [true, false]) traffic.add(0, false, isRetry);
    expect(traffic.refusedShares(0)).toEqual({ attempts: 0, retries: 0 });
    const nowMs = count(traffic, 0, 20, 30, 4);
    expect(traffic.refusedShares(nowMs).attempts).toBeCloseTo(0.25, 1);
    expect(traffic.refusedShares(nowMs).retries).toBeCloseTo(0, 1);
  });

  test('are forgotten after a pause, which does not count as a time without successes', () => {
    const traffic = new Traffic(0);
    const nowMs = count(traffic, 0, 20, 30) + 30_000;
    expect(traffic.isForgotten(nowMs)).toBe(true);
    expect(traffic.servedPerSecond(count(traffic, nowMs, 20, 2)) / 20).toBeCloseTo(1, 1);
  });
});
