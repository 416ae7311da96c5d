import { expect, test } from 'vitest';
import { StoreClock } from '../../src/gate/store-clock.ts';

const HOUR_MS = 3_600_000;

/** The clock of the store is this much behind that of the process. */
const BEHIND_MS = 1_000;

/** An exchange that takes so long there and back. */
function hear(clock: StoreClock, askedMs: number, thereMs: number, backMs: number, behindMs = BEHIND_MS): void {
  clock.hear(askedMs, askedMs + thereMs + backMs, askedMs + thereMs - behindMs);
}

test('the fastest way there and the fastest way back count, also of different answers', () => {
  const clock = new StoreClock();
  hear(clock, 0, 10, 50);
  expect(clock.offsetMs).toBeCloseTo(BEHIND_MS + 20, 0);
  hear(clock, 100, 50, 10);
  expect(clock.offsetMs).toBeCloseTo(BEHIND_MS, 0);
  hear(clock, 200, 90, 40);
  expect(clock.offsetMs).toBeCloseTo(BEHIND_MS, 0);
});

test('a clock that was set to another time is believed at once', () => {
  const clock = new StoreClock();
  hear(clock, 0, 10, 10);
  hear(clock, 100, 10, 10, BEHIND_MS - HOUR_MS);
  expect(clock.offsetMs).toBe(BEHIND_MS - HOUR_MS);
  hear(clock, 200, 10, 10);
  expect(clock.offsetMs).toBeCloseTo(BEHIND_MS, 0);
});

test('a way that is longer than before is believed little by little', () => {
  const clock = new StoreClock();
  hear(clock, 0, 10, 10);
  for (let askedMs = 1_000; askedMs < 90_000; askedMs += 1_000) hear(clock, askedMs, 10, 50);
  expect(clock.offsetMs).toBeCloseTo(BEHIND_MS + 20, 0);
});
