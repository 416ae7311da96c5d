import { expect, it } from 'vitest';
import { expectCount } from '../../src/report/expect-count.ts';
import { untyped } from './samples.ts';

it.each([1, 2, Number.MAX_SAFE_INTEGER])('a count may be %d', (value) => {
  expect(() => expectCount('maxReports', value)).not.toThrow();
});

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, untyped('3'), untyped(null)])(
  'a count is not %j',
  (value) => {
    expect(() => expectCount('maxReports', value)).toThrow(
      `Expected \`maxReports\` to be an integer ≥ 1, got ${String(value)}.`,
    );
  },
);
