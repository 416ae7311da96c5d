import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { parseDuration, readDuration } from '../../src/cli/duration.ts';
import { formatDelay } from '../../src/index.ts';

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000],
    ['2m', 120_000],
    ['1h30m', 5_400_000],
    ['7h 31m 45s', 27_105_000],
    ['1.5h', 5_400_000],
    ['1.1s', 1_100],
    ['250ms', 250],
    ['1s500ms', 1_500],
    ['1m500ms', 60_500],
    ['30d', 2_592_000_000],
    ['0s', 0],
    [' 5s ', 5_000],
  ])('reads %j', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', ' ', '30', 's', '-5s', '5S', '30m1h', '1h1h', '5 s', '1e3s', '.5s', '5s,', 'Infinity', '9'.repeat(80)])(
    'makes nothing of %j',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );

  test.prop([fc.integer({ min: 1, max: 100 * 86_400 })])('reads whole seconds back as they are printed', (seconds) => {
    expect(parseDuration(formatDelay(seconds * 1_000))).toBe(seconds * 1_000);
  });
});

describe('readDuration', () => {
  it('refuses an invalid duration in one line that says how to fix it', () => {
    expect(readDuration('--deadline', '2m')).toBe(120_000);
    expect(() => readDuration('--deadline', '30')).toThrow(
      new UsageError('Expected --deadline to be a duration such as 30s, 2m, 1h30m or 250ms, got "30".'),
    );
  });
});
