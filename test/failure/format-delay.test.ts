import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { formatDelay } from '../../src/failure/format-delay.ts';

describe('formatDelay', () => {
  it.each([
    [0, '0s'],
    [0.4, '0s'],
    [0.5, '1ms'],
    [500, '500ms'],
    [999, '999ms'],
    [999.6, '1s'],
    [1_000, '1s'],
    [1_049, '1s'],
    [1_050, '1.1s'],
    [5_000, '5s'],
    [21_500, '21.5s'],
    [59_949, '59.9s'],
    [59_960, '1m'],
    [60_000, '1m'],
    [60_400, '1m'],
    [90_000, '1m 30s'],
    [119_600, '2m'],
    [3_599_600, '1h'],
    [3_600_000, '1h'],
    [3_605_000, '1h 5s'],
    [27_105_000, '7h 31m 45s'],
    [86_399_500, '1d'],
    [277_403_000, '3d 5h 3m 23s'],
    [2_592_000_000, '30d'],
    [1e15, '11574074d 1h 46m 40s'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDelay(ms)).toBe(text);
  });

  it('has a word for an infinite wait', () => {
    expect(formatDelay(Number.POSITIVE_INFINITY)).toBe('forever');
    expect(formatDelay(Number.NaN)).toBe('unknown');
    expect([formatDelay(-5), formatDelay(Number.NEGATIVE_INFINITY)]).toEqual(['0s', '0s']);
  });

  const SIZES_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  test.prop([fc.double({ min: 0, max: 1e12, noNaN: true })])(
    'is off by less than what it rounds to, and never has 60 of a unit',
    (ms) => {
      const parts = [...formatDelay(ms).matchAll(/([\d.]+)(ms|[dhms])/g)];
      const readMs = parts.reduce(
        (sum, [, count, unit = '']) => sum + Number(count) * (SIZES_MS[unit] ?? Number.NaN),
        0,
      );
      expect(Math.abs(readMs - ms)).toBeLessThanOrEqual(ms < 999.5 ? 0.5 : ms < 59_950 ? 50.5 : 500.5);
      for (const [, count, unit = ''] of parts) {
        expect(Number(count)).toBeLessThan({ ms: 1_000, s: 60, m: 60, h: 24 }[unit] ?? Number.POSITIVE_INFINITY);
      }
    },
  );
});
