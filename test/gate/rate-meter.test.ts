import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { countServed, intervalUntil, isServing, newMeter, restartMeter } from '../../src/gate/rate-meter.ts';

describe('the rate meter', () => {
  test('tells the time per success since it was started', () => {
    const meter = countServed(countServed(newMeter(0), 3, 100), 1, 300);
    expect(intervalUntil(meter, 1_000)).toBe(250);
  });

  test('knows no rate where nothing was served', () => {
    expect(intervalUntil(newMeter(0), 1_000)).toBeNull();
  });

  test('does not count what is answered before it starts, but hears that the server serves', () => {
    const meter = countServed(restartMeter(newMeter(0), 5_000), 7, 4_000);
    expect(intervalUntil(meter, 6_000)).toBeNull();
    expect(meter.lastMs).toBe(4_000);
  });

  test('keeps a steady rate for ever, and only the last seconds of it', () => {
    let meter = newMeter(0);
    for (let answer = 1; answer <= 14_400; answer += 1) meter = countServed(meter, 1, answer * 250);
    expect(Math.abs((intervalUntil(meter, 3_600_000) ?? 0) - 250)).toBeLessThan(10);
    expect(3_600_000 - meter.sinceMs).toBeLessThanOrEqual(10_000);
  });

  test('forgets a rate that is long gone', () => {
    const old = countServed(newMeter(0), 1, 0);
    const meter = countServed(old, 0, 3_600_000);
    expect(intervalUntil(meter, 3_600_000)).toBeNull();
  });

  test('gives no rate for less than half a success', () => {
    const rateOf = (served: number): number | null => intervalUntil({ sinceMs: 0, served, lastMs: 0 }, 1_000);
    expect([rateOf(0.5), rateOf(0.49)]).toEqual([2_000, null]);
  });

  test('takes the server for a serving one until no answer has come for a minute', () => {
    const meter = countServed(newMeter(0), 1, 1_000);
    expect([isServing(meter, 61_000), isServing(meter, 61_001)]).toEqual([true, false]);
  });

  test.prop([fc.array(fc.tuple(fc.nat(20), fc.nat(30_000)), { maxLength: 50 })])(
    'never gives a negative or an infinite interval',
    (steps) => {
      let nowMs = 0;
      let meter = newMeter(0);
      for (const [successes, passedMs] of steps) {
        nowMs += passedMs;
        meter = countServed(meter, successes, nowMs);
        const interval = intervalUntil(meter, nowMs);
        if (interval !== null) expect(interval >= 0 && Number.isFinite(interval)).toBe(true);
      }
    },
  );
});
