import { expect, test } from 'vitest';
import { measureClassify } from '../../bench/classify.ts';
import { classify } from '../../src/stream/classify.ts';

test('classifying a failure costs not much more than parsing its body', () => {
  // Measured at 10 on a quiet machine. The minimum of many short runs is what noise touches least.
  expect(measureClassify(101, (headers) => headers).minimum.ratio).toBeLessThan(30);
});

test('brackets without end cost no more than their number', () => {
  const costOf = (brackets: number): number => {
    const body = '['.repeat(brackets);
    const times = Array.from({ length: 9 }, () => {
      const start = performance.now();
      for (let call = 0; call < 20; call += 1) classify({ status: 200, body });
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  costOf(4_096);
  expect(costOf(65_536) / costOf(4_096)).toBeLessThan(30);
});
