import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { parseDecimal, readDuration } from '../../src/hints/duration.ts';

describe('readDuration', () => {
  it.each([
    ['1s', 1_000],
    ['0s', 0],
    ['6m0s', 360_000],
    ['2m59.56s', 179_560],
    ['9m38.016s', 578_016],
    ['1h2m3s', 3_723_000],
    ['114h18m0s', 411_480_000],
    ['1d2h', 93_600_000],
    ['2w', 1_209_600_000],
    ['120ms', 120],
    ['900.2ms', 900.2],
    ['1s500ms', 1_500],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['250μs', 0.25],
    ['500ns', 0.0005],
    ['56.185908122s', 56_185.908122],
    ['35 seconds', 35_000],
    ['1 second', 1_000],
    ['5 sec', 5_000],
    ['2 minutes', 120_000],
    ['5 mins', 300_000],
    ['1 hour', 3_600_000],
    ['3 hrs', 10_800_000],
    ['3 days', 259_200_000],
    ['1 day', 86_400_000],
    ['1 week', 604_800_000],
    ['500 ms', 500],
    ['20 milliseconds', 20],
    ['20 msec', 20],
    ['20 msecs', 20],
    ['5 HOURS', 18_000_000],
    ['1 hour 30 minutes', 5_400_000],
    ['1 hour and 30 minutes', 5_400_000],
    ['1 hour, 30 minutes', 5_400_000],
    ['5 days 3 hours 12 minutes', 443_520_000],
  ])('reads %s as %d ms, to its end', (text, ms) => {
    expect(readDuration(text, 0)).toEqual({ ms, end: text.length });
  });

  it.each(['', '5', '5 ', '1.s', '.5s', '-5s', '5x', '5 members', '3 steps', '2 months', '5mb', '1,5s', 's', '1e3s'])(
    'reads nothing from "%s"',
    (text) => {
      expect(readDuration(text, 0)).toBeNull();
    },
  );

  it('stops at a unit that is not smaller than the one before', () => {
    expect(readDuration('20s, 3 m away', 0)).toEqual({ ms: 20_000, end: 5 });
    expect(readDuration('5s5s', 0)).toEqual({ ms: 5_000, end: 2 });
  });

  it('begins at the index and not later', () => {
    expect(readDuration('in 5s', 3)).toEqual({ ms: 5_000, end: 5 });
    expect(readDuration('in 5s', 2)).toBeNull();
  });

  const units = { h: fc.nat(999), m: fc.nat(59), s: fc.nat(59_999) };
  test.prop([fc.record(units)])('reads the output of Go', ({ h, m, s }) => {
    const text = `${h}h${m}m${s / 1_000}s`;
    expect(readDuration(text, 0)?.ms).toBe(h * 3_600_000 + m * 60_000 + s);
  });

  test.prop([fc.string({ unit: fc.constantFrom(...'0123456789.hmsdnu µ,and'.split('')) })])(
    'is finite and not negative for any text',
    (text) => {
      const ms = readDuration(text, 0)?.ms ?? 0;
      expect(Number.isFinite(ms) && ms >= 0).toBe(true);
    },
  );
});

describe('parseDecimal', () => {
  it.each([
    ['0', 3, 0],
    ['007', 3, 7_000],
    ['0.1', 3, 100],
    ['9.7', 3, 9_700],
    ['1.001', 3, 1_001],
    ['250.5', 0, 250.5],
    ['9'.repeat(23), 3, 1e26],
  ])('shifts %s by %d digits to %d', (text, exponent, expected) => {
    expect(parseDecimal(text, exponent)).toBe(expected);
  });

  it.each([
    ...['', ' 1', '1.', '.5', '-5', '+5', '1e3', '0x10', '1,1', '1_0', '12abc', 'Infinity', 'NaN', '٣'],
    '1'.repeat(65),
  ])('refuses "%s"', (text) => {
    expect(parseDecimal(text, 0)).toBeNull();
  });
});
