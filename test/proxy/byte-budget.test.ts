import { expect, test } from 'vitest';
import { ByteBudget } from '../../src/proxy/byte-budget.ts';

test('all bodies together may have exactly the limit, and a byte more is refused as busy', () => {
  const budget = new ByteBudget(10);
  budget.take(4);
  budget.take(6);
  expect(() => budget.take(1)).toThrow(expect.objectContaining({ status: 503, code: 'busy' }));
});

test('a refused body takes nothing, and what a call gives back is there for the next', () => {
  const budget = new ByteBudget(10);
  budget.take(8);
  expect(() => budget.take(3)).toThrow(/maxBufferedBytes/);
  budget.take(2);
  budget.give(8);
  expect(() => budget.take(8)).not.toThrow();
});

test('held answers leave half of the limit to the bodies of requests', () => {
  const budget = new ByteBudget(10);
  expect([budget.hold(5), budget.hold(1)]).toEqual([true, false]);
  expect(() => budget.take(5)).not.toThrow();
  budget.give(6);
  expect(budget.hold(1)).toBe(true);
});
