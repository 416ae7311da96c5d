import { fc, test } from '@fast-check/vitest';
import { describe, expect, it, vi } from 'vitest';
import { applyJitter, calculateBackoff, type Schedule, scheduleOf, type Shape } from '../../src/options/backoff.ts';
import { type Backoff, FAILURES, type Failure, type Jitter } from '../../src/failure/failure.ts';

const HEAD = [5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 900_000, 1_800_000];
const FAILURE: Failure = Object.freeze({
  type: 'overloaded',
  category: FAILURES.overloaded.category,
  retryable: true,
  message: 'busy',
  phase: 'response',
});
const USUAL: Shape = {
  baseDelayMs: 1_000,
  maxDelayMs: 60_000,
  backoffMultiplier: 2,
  jitter: 'symmetric',
  jitterFactor: 0.2,
};
const AS_WRITTEN: Shape = { ...USUAL, maxDelayMs: Infinity, jitter: 'none' };

const growing = (shape: Partial<Shape> = {}): Schedule => scheduleOf(undefined, { ...USUAL, ...shape });
const listed = (backoff: Backoff, shape: Partial<Shape> = {}): Schedule =>
  scheduleOf(backoff, { ...AS_WRITTEN, ...shape });
const at = (schedule: Schedule, retry: number, chance = 0.5): number | undefined =>
  schedule(retry, FAILURE, () => chance);

const jitters = fc.constantFrom<Jitter>('none', 'symmetric', 'full', 'down');
const factors = fc.double({ min: 0, max: 1, noNaN: true });
const chances = fc.double({ min: 0, max: 1, noNaN: true });
const delays = fc.double({ min: 0, max: 1e9, noNaN: true });

describe('calculateBackoff', () => {
  it.each([
    [0, 1_000],
    [1, 2_000],
    [2, 4_000],
  ])('grows by the multiplier: attempt %d waits %d ms', (attempt, delayMs) => {
    expect(calculateBackoff(attempt, 1_000, 60_000, 2, 0)).toBe(delayMs);
  });

  it('is capped', () => {
    expect(calculateBackoff(10, 1_000, 5_000, 2, 0)).toBe(5_000);
  });

  it('spreads by the factor to either side', () => {
    expect(calculateBackoff(0, 1_000, 60_000, 2, 0.2, () => 0)).toBe(800);
    expect(calculateBackoff(0, 1_000, 60_000, 2, 0.2, () => 1)).toBe(1_200);
    expect(calculateBackoff(0, 1_000, 60_000, 2, 0.2, () => 0.5)).toBe(1_000);
  });

  it('is never negative', () => {
    expect(calculateBackoff(0, 1_000, 60_000, 2, 1, () => 0)).toBe(0);
  });

  it('draws a random number if it is given none', () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(1);
    expect(calculateBackoff(0, 1_000, 60_000, 2, 0.2)).toBe(800);
    expect(calculateBackoff(0, 1_000, 60_000, 2, 0.2)).toBe(1_200);
  });

  it('names the mistake in an argument', () => {
    expect(() => calculateBackoff(-1, 1_000, 60_000, 2, 0.2)).toThrow(
      new RangeError('Expected `attempt` to be an integer ≥ 0, got -1.'),
    );
    expect(() => calculateBackoff(0, Number.NaN, 60_000, 2, 0.2)).toThrow(TypeError);
  });
});

describe('waits that grow', () => {
  it('start at one second, double, end at one minute and spread by a fifth', () => {
    const waits = (chance: number): unknown[] => [0, 1, 5, 6, 1_000].map((retry) => at(growing(), retry, chance));
    expect(waits(0.5)).toEqual([1_000, 2_000, 32_000, 60_000, 60_000]);
    expect(waits(0)).toEqual([800, 1_600, 25_600, 48_000, 48_000]);
  });

  it('are reflected below the cap by jitter, and not collected at it', () => {
    const schedule = growing({ baseDelayMs: 60_000 });
    expect([at(schedule, 0, 1), at(schedule, 0, 0.75)]).toEqual([48_000, 54_000]);
    expect(at(growing({ baseDelayMs: 55_000 }), 0, 1)).toBe(54_000);
  });

  it.each([
    ['none', 1_000, 1_000],
    ['symmetric', 500, 1_500],
    ['full', 0, 1_000],
    ['down', 500, 1_000],
  ] as const)('take %s jitter from %i to %i ms', (jitter, lowest, highest) => {
    const schedule = growing({ jitter, jitterFactor: 0.5 });
    expect([at(schedule, 0, 0), at(schedule, 0, 1)]).toEqual([lowest, highest]);
  });

  it('draw no random number without jitter', () => {
    const random = vi.fn<() => number>(() => 0.5);
    growing({ jitter: 'none' })(0, FAILURE, random);
    expect(random).not.toHaveBeenCalled();
  });

  it('stay finite without a cap', () => {
    const unlimited = growing({ maxDelayMs: Infinity, jitterFactor: 1 });
    expect([at(unlimited, 5_000), at(unlimited, 5_000, 1)]).toEqual([Number.MAX_SAFE_INTEGER, 0]);
  });

  it('are 0 from a base of 0, or under a cap of 0', () => {
    expect([at(growing({ baseDelayMs: 0 }), 5_000), at(growing({ maxDelayMs: 0 }), 5_000)]).toEqual([0, 0]);
  });

  test.prop([fc.nat(2_000), delays, delays, fc.double({ min: 1, max: 10, noNaN: true }), jitters, factors, chances])(
    'are between 0 and the cap, whatever the chance',
    (retry, baseDelayMs, maxDelayMs, backoffMultiplier, jitter, jitterFactor, chance) => {
      const delayMs = at(growing({ baseDelayMs, maxDelayMs, backoffMultiplier, jitter, jitterFactor }), retry, chance);
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThanOrEqual(maxDelayMs);
    },
  );
});

describe('a list', () => {
  it('is waited as written, and its last wait repeats', () => {
    expect([0, 7, 8, 2 ** 40].map((retry) => at(listed(HEAD), retry))).toEqual([
      5_000, 1_800_000, 1_800_000, 1_800_000,
    ]);
  });

  it('that is empty has ended', () => {
    expect(at(listed([]), 0)).toBeUndefined();
  });

  it('has a jitter and a cap where they are set', () => {
    expect([
      at(listed([1_000], { jitter: 'down', jitterFactor: 0.2 }), 0, 0),
      at(listed([5_000], { maxDelayMs: 70 }), 0),
    ]).toEqual([800, 70]);
  });
});

describe('a function', () => {
  it('gets the number of the retry, from 0, and the failure', () => {
    const backoff = vi.fn((retry: number) => 100 + retry);
    expect([at(listed(backoff), 0), at(listed(backoff), 3)]).toEqual([100, 103]);
    expect(backoff).toHaveBeenLastCalledWith(3, FAILURE);
  });

  it.each([[undefined], [Infinity]])('that returns %j has ended', (wait) => {
    expect(
      at(
        listed(() => wait),
        0,
      ),
    ).toBeUndefined();
  });

  it.each([
    [Number.NaN, 'NaN'],
    [-1, '-1'],
    ['5', '"5"'],
    [null, 'null'],
  ])('that returns %j is refused, because no limit would hold such a wait', (wait, shown) => {
    const message = `Expected \`backoff(4, …)\` to be a number ≥ 0, or undefined to stop, got ${shown}.`;
    expect(() =>
      at(
        listed(() => wait as number),
        4,
      ),
    ).toThrow(new TypeError(message));
  });
});

describe('applyJitter', () => {
  test.prop([
    fc.oneof(delays, fc.constant(Number.POSITIVE_INFINITY)),
    fc.oneof(delays, fc.constant(Number.POSITIVE_INFINITY)),
    jitters,
    factors,
    chances,
  ])('is finite, and between 0 and the cap', (delayMs, maxDelayMs, jitter, jitterFactor, chance) => {
    const jitteredMs = applyJitter(delayMs, maxDelayMs, jitter, jitterFactor, () => chance);
    expect(Number.isFinite(jitteredMs) && jitteredMs >= 0 && jitteredMs <= maxDelayMs).toBe(true);
  });

  test.prop([delays, factors, chances])(
    'stays within the factor of a delay without a cap',
    (delayMs, jitterFactor, chance) => {
      const jitteredMs = applyJitter(delayMs, Number.POSITIVE_INFINITY, 'symmetric', jitterFactor, () => chance);
      expect(Math.abs(jitteredMs - delayMs)).toBeLessThanOrEqual(delayMs * jitterFactor * (1 + 1e-12) + 1e-6);
    },
  );

  it('collects no calls at the cap: a fleet at the cap is spread below it', () => {
    const waits = Array.from({ length: 1_000 }, (_, index) =>
      applyJitter(90_000, 60_000, 'symmetric', 0.2, () => index / 1_000),
    );
    expect(Math.min(...waits)).toBe(48_000);
    expect(Math.max(...waits)).toBe(60_000);
    expect(waits.filter((waitMs) => waitMs > 59_900).length).toBeLessThan(20);
  });
});
