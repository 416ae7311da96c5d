import { expect, test } from 'vitest';
import { figureOf, medianOf, quantile, single } from '../../../bench/peers/statistics.ts';

test.each([
  [[7], 0.25, 7],
  [[1, 2, 3, 4, 5], 0.5, 3],
  [[1, 2, 3, 4, 5], 0.25, 2],
  [[1, 2], 0.5, 1.5],
  [[0, 10], 0.75, 7.5],
  [[1, 2, 3], 1, 3],
])('of %j the share %d lies below %d', (sorted, share, value) => {
  expect(quantile(sorted, share)).toBe(value);
});

test('an empty series has no quantile', () => {
  expect(() => quantile([], 0.5)).toThrow('Expected a series of at least one value.');
});

test('a figure is the median with the quartiles in any order of the values, and does not change the series', () => {
  const series = [5, 1, 4, 2, 3];
  expect(figureOf(series)).toEqual({ median: 3, quartiles: { low: 2, high: 4 } });
  expect(series).toEqual([5, 1, 4, 2, 3]);
});

test('numbers sort as numbers', () => {
  expect(medianOf([10, 9, 100])).toBe(10);
});

test('a figure keeps four digits', () => {
  expect(single(123_456)).toEqual({ median: 123_500 });
  expect(single(0.000_123_456)).toEqual({ median: 0.000_123_5 });
});
