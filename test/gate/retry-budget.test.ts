import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { affords, deposit, withdraw } from '../../src/gate/retry-budget.ts';

const RULE = { capacity: 5, ratio: 0.1 };

describe('the retry budget', () => {
  test.each([
    [5, 1, 4],
    [1, 1, 0],
    [0.9, 1, null],
    [0, 1, null],
    [0, 0, 0],
    [2, 0.5, 1.5],
  ])('with %d in it and a retry that costs %d leaves %j', (tokens, cost, left) => {
    expect(affords(tokens, cost) ? withdraw(tokens, cost) : null).toBe(left);
  });

  test('pays for one retry with ten successes, although ten times 0.1 is a little less than one', () => {
    let tokens = 0;
    for (let i = 0; i < 10; i += 1) tokens = deposit(tokens, RULE);
    expect([affords(tokens, 1), withdraw(tokens, 1)]).toEqual([true, 0]);
  });

  test('never holds more than its capacity', () => {
    expect(deposit(4.95, RULE)).toBe(5);
  });

  test.prop([fc.array(fc.boolean(), { maxLength: 500 })])(
    'allows at most its capacity and a tenth of the successes as retries',
    (calls) => {
      let tokens = RULE.capacity;
      let retries = 0;
      for (const succeeded of calls) {
        if (succeeded) {
          tokens = deposit(tokens, RULE);
          continue;
        }
        if (affords(tokens, 1)) [tokens, retries] = [withdraw(tokens, 1), retries + 1];
      }
      const successes = calls.filter(Boolean).length;
      expect(retries).toBeLessThanOrEqual(RULE.capacity + successes * RULE.ratio + 1e-6);
    },
  );
});
