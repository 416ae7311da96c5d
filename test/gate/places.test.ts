import { describe, expect, test } from 'vitest';
import { createDice } from '../../bench/dice.ts';
import { Places } from '../../src/gate/places.ts';

/** Attempts at a server with this many places; a share of them is answered as if there were one more. */
function ask(places: Places, limit: number, attempts: number, blurred = 0): void {
  const dice = createDice(limit);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const others = Math.floor(2 * limit * dice());
    places.add(others, others < limit + (dice() < blurred ? 1 : 0));
  }
}

describe('a limit on concurrent requests', () => {
  test.each([1, 4, 20])('of %d is found', (limit) => {
    const places = new Places();
    ask(places, limit, 200);
    expect(places.limit).toBe(limit);
  });

  test('is found even if refused requests in flight were counted too', () => {
    const places = new Places();
    ask(places, 4, 400, 0.3);
    expect(places.limit).toBe(4);
  });

  test('is found again when it has changed', () => {
    const places = new Places();
    ask(places, 12, 400);
    ask(places, 4, 1_200);
    expect(places.limit).toBe(4);
    ask(places, 9, 1_200);
    expect(places.limit).toBe(9);
  });

  test('is not found if refusals do not depend on it, or were too few', () => {
    const random = new Places();
    const dice = createDice(1);
    for (let attempt = 0; attempt < 1_000; attempt += 1) random.add(Math.floor(8 * dice()), dice() < 0.6);
    expect(random.limit).toBeNull();
    const few = new Places();
    ask(few, 4, 12);
    expect(few.limit).toBeNull();
  });
});
