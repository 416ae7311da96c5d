import { describe, expect, test } from 'vitest';
import { createDice } from '../../bench/dice.ts';
import { ConcurrencyLimit } from '../../src/gate/concurrency-limit.ts';

/** Attempts at a server with this many concurrency; a share of them is answered as if there were one more. */
function ask(concurrency: ConcurrencyLimit, limit: number, attempts: number, blurred = 0): void {
  const dice = createDice(limit);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const others = Math.floor(2 * limit * dice());
    concurrency.add(others, others < limit + (dice() < blurred ? 1 : 0));
  }
}

describe('a limit on concurrent requests', () => {
  test.each([1, 4, 20])('of %d is found', (limit) => {
    const concurrency = new ConcurrencyLimit();
    ask(concurrency, limit, 200);
    expect(concurrency.limit).toBe(limit);
  });

  test('is found even if refused requests in flight were counted too', () => {
    const concurrency = new ConcurrencyLimit();
    ask(concurrency, 4, 400, 0.3);
    expect(concurrency.limit).toBe(4);
  });

  test('is found again when it has changed', () => {
    const concurrency = new ConcurrencyLimit();
    ask(concurrency, 12, 400);
    ask(concurrency, 4, 1_200);
    expect(concurrency.limit).toBe(4);
    ask(concurrency, 9, 1_200);
    expect(concurrency.limit).toBe(9);
  });

  test('is not found if refusals do not depend on it, or were too few', () => {
    const random = new ConcurrencyLimit();
    const dice = createDice(1);
    for (let attempt = 0; attempt < 1_000; attempt += 1) random.add(Math.floor(8 * dice()), dice() < 0.6);
    expect(random.limit).toBeNull();
    const few = new ConcurrencyLimit();
    ask(few, 4, 12);
    expect(few.limit).toBeNull();
    const hardlyServed = new ConcurrencyLimit();
    for (let attempt = 0; attempt < 100; attempt += 1) hardlyServed.add(attempt < 5 ? 0 : 1, attempt < 5);
    expect(hardlyServed.limit).toBeNull();
  });
});
