import { fc, test } from '@fast-check/vitest';
import { describe, expect, it, vi } from 'vitest';
import {
  applyJitter,
  type Backoff,
  calculateBackoff,
  exponential,
  type ExponentialOptions,
  stepped,
  type SteppedOptions,
} from '../../src/options/backoff.ts';
import type { Jitter } from '../../src/failure/failure.ts';

const EIGHT_HOURS_MS = 28_800_000;
const HEAD = [5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 900_000, 1_800_000];

function delaysOf(backoff: Backoff, limit = 1_000): readonly number[] {
  const delays: number[] = [];
  for (let retry = 0; retry < limit; retry += 1) {
    const delayMs = backoff.delayFor(retry);
    if (delayMs === undefined) break;
    delays.push(delayMs);
  }
  return delays;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

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

describe('exponential', () => {
  it('starts at one second, doubles, ends at one minute and spreads by a fifth by default', () => {
    const backoff = exponential();
    const at = (chance: number): readonly (number | undefined)[] =>
      [0, 1, 5, 6, 1_000].map((retry) => backoff.delayFor(retry, { random: () => chance }));
    expect(at(0.5)).toEqual([1_000, 2_000, 32_000, 60_000, 60_000]);
    expect(at(0)).toEqual([800, 1_600, 25_600, 48_000, 48_000]);
  });

  it('reflects a jitter above the cap below it', () => {
    const backoff = exponential({ baseDelayMs: 60_000 });
    expect(backoff.delayFor(0, { random: () => 1 })).toBe(48_000);
    expect(backoff.delayFor(0, { random: () => 0.75 })).toBe(54_000);
    expect(exponential({ baseDelayMs: 55_000 }).delayFor(0, { random: () => 1 })).toBe(54_000);
  });

  it.each<[Jitter, number, number]>([
    ['none', 1_000, 1_000],
    ['symmetric', 500, 1_500],
    ['full', 0, 1_000],
    ['down', 500, 1_000],
  ])('takes %s jitter from %d to %d ms', (jitter, lowest, highest) => {
    const backoff = exponential({ jitter, jitterFactor: 0.5 });
    expect(backoff.delayFor(0, { random: () => 0 })).toBe(lowest);
    expect(backoff.delayFor(0, { random: () => 1 })).toBe(highest);
  });

  it('draws no random number if it changes nothing', () => {
    const random = vi.fn<() => number>(() => 0.5);
    exponential({ jitter: 'none' }).delayFor(0, { random });
    exponential({ jitter: 'symmetric', jitterFactor: 0 }).delayFor(0, { random });
    exponential({ jitter: 'down', jitterFactor: 0 }).delayFor(0, { random });
    expect(random).not.toHaveBeenCalled();
  });

  it('stays finite for any power', () => {
    const unlimited = exponential({ maxDelayMs: Number.POSITIVE_INFINITY, jitterFactor: 1 });
    expect(unlimited.delayFor(5_000, { random: () => 0.5 })).toBe(Number.MAX_SAFE_INTEGER);
    expect(unlimited.delayFor(5_000, { random: () => 1 })).toBe(0);
    expect(exponential({ baseDelayMs: 0 }).delayFor(5_000)).toBe(0);
    expect(exponential({ maxDelayMs: 0 }).delayFor(5_000)).toBe(0);
  });

  it('treats undefined as the default', () => {
    const options = {
      baseDelayMs: undefined,
      maxDelayMs: undefined,
      multiplier: undefined,
      jitter: undefined,
      jitterFactor: undefined,
    };
    expect(exponential(options).delayFor(1, { random: () => 0 })).toBe(1_600);
    expect(typeof exponential().delayFor(1, { random: undefined })).toBe('number');
  });

  it('is frozen', () => {
    expect(Object.isFrozen(exponential())).toBe(true);
  });

  it.each([
    [{ baseDelayMs: -1 }, 'Expected `baseDelayMs` to be a finite number ≥ 0, got -1.'],
    [{ baseDelayMs: Number.POSITIVE_INFINITY }, 'Expected `baseDelayMs` to be a finite number ≥ 0, got Infinity.'],
    [{ maxDelayMs: Number.NaN }, 'Expected `maxDelayMs` to be a number ≥ 0, got NaN.'],
    [{ multiplier: 0.5 }, 'Expected `multiplier` to be a finite number ≥ 1, got 0.5.'],
    [{ jitterFactor: Number.NaN }, 'Expected `jitterFactor` to be a number from 0 to 1, got NaN.'],
    [{ jitterFactor: 1.01 }, 'Expected `jitterFactor` to be a number from 0 to 1, got 1.01.'],
    [
      JSON.parse('{"jitter":"some"}'),
      "Expected `jitter` to be one of 'none', 'symmetric', 'full', 'down', got \"some\".",
    ],
    [JSON.parse('{"baseDelayMs":"1000"}'), 'Expected `baseDelayMs` to be a finite number ≥ 0, got "1000".'],
  ])('refuses %j at creation', (options, message) => {
    expect(() => exponential(options)).toThrow(new TypeError(message));
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the index %d, with any base', (retry) => {
    const refusal = new RangeError(`Expected \`retry\` to be an integer ≥ 0, got ${retry}.`);
    expect(() => exponential().delayFor(retry)).toThrow(refusal);
    expect(() => exponential({ baseDelayMs: 0 }).delayFor(retry)).toThrow(refusal);
    expect(() => stepped([5]).delayFor(retry)).toThrow(refusal);
  });

  test.prop([fc.nat(2_000), delays, delays, fc.double({ min: 1, max: 10, noNaN: true }), jitters, factors, chances])(
    'stays between nothing and the cap',
    (retry, baseDelayMs, maxDelayMs, multiplier, jitter, jitterFactor, chance) => {
      const backoff = exponential({ baseDelayMs, maxDelayMs, multiplier, jitter, jitterFactor });
      const delayMs = backoff.delayFor(retry, { random: () => chance }) ?? Number.NaN;
      expect(delayMs >= 0 && delayMs <= maxDelayMs).toBe(true);
    },
  );

  test.prop([fc.nat(2_000), delays, delays, fc.double({ min: 1, max: 10, noNaN: true })])(
    'never becomes shorter without jitter',
    (retry, baseDelayMs, maxDelayMs, multiplier) => {
      const backoff = exponential({ baseDelayMs, maxDelayMs, multiplier, jitter: 'none' });
      expect(backoff.delayFor(retry + 1)).toBeGreaterThanOrEqual(backoff.delayFor(retry) ?? Number.NaN);
    },
  );
});

describe('stepped', () => {
  it('makes the eight-hour policy: 21 retries, 7 h 31 m 45 s', () => {
    const waits = delaysOf(stepped(HEAD, { budgetMs: EIGHT_HOURS_MS }));
    expect(waits.slice(0, 9)).toEqual([...HEAD, 1_800_000]);
    expect(waits).toHaveLength(21);
    expect(sum(waits)).toBe(27_105_000);
  });

  it('counts the budget inclusively: 16 half hours are eight', () => {
    expect(delaysOf(stepped([1_800_000], { budgetMs: EIGHT_HOURS_MS }))).toHaveLength(16);
    expect(delaysOf(stepped([1_800_000], { budgetMs: EIGHT_HOURS_MS - 1 }))).toHaveLength(15);
  });

  it('repeats the last step, or the tail, or stops', () => {
    expect(delaysOf(stepped([1, 2]), 4)).toEqual([1, 2, 2, 2]);
    expect(delaysOf(stepped([1, 2], { tailMs: undefined }), 4)).toEqual([1, 2, 2, 2]);
    expect(delaysOf(stepped([1, 2], { tailMs: 9 }), 4)).toEqual([1, 2, 9, 9]);
    expect(delaysOf(stepped([1, 2], { tailMs: 0 }), 4)).toEqual([1, 2, 0, 0]);
    expect(delaysOf(stepped([1, 2], { tailMs: null }), 4)).toEqual([1, 2]);
  });

  it('accepts no steps for a schedule of the tail alone, or for an empty one without a tail', () => {
    expect(delaysOf(stepped([], { tailMs: 5, budgetMs: 14 }))).toEqual([5, 5]);
    expect(delaysOf(stepped([]))).toEqual([]);
    expect(delaysOf(stepped([], { tailMs: null }))).toEqual([]);
  });

  it('stops after that many retries', () => {
    expect(delaysOf(stepped([3_000, 5_000, 10_000, 30_000, 60_000], { maxRetries: 10 }))).toHaveLength(10);
    expect(delaysOf(stepped([1, 2, 3], { maxRetries: 2 }))).toEqual([1, 2]);
    expect(delaysOf(stepped([1, 2, 3], { maxRetries: 0 }))).toEqual([]);
  });

  it('counts the budget before jitter', () => {
    const backoff = stepped([10, 10], { budgetMs: 20, tailMs: null, jitter: 'full' });
    expect(backoff.delayFor(1, { random: () => 0 })).toBe(0);
    expect(backoff.delayFor(1, { random: () => 1 })).toBe(10);
    expect(stepped([10, 10], { budgetMs: 19, jitter: 'full' }).delayFor(1, { random: () => 0 })).toBeUndefined();
  });

  it.each<[Jitter, number, number]>([
    ['none', 1_000, 1_000],
    ['symmetric', 800, 1_200],
    ['full', 0, 1_000],
    ['down', 800, 1_000],
  ])('takes %s jitter of a step from %d to %d ms', (jitter, lowest, highest) => {
    const backoff = stepped([1_000], { jitter });
    expect(backoff.delayFor(0, { random: () => 0 })).toBe(lowest);
    expect(backoff.delayFor(7, { random: () => 1 })).toBe(highest);
  });

  it('draws a random number if it is given none', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    expect(stepped([1_000], { jitter: 'down' }).delayFor(0)).toBe(800);
  });

  it('computes a retry far away at once', () => {
    const start = performance.now();
    const backoff = stepped(HEAD, { budgetMs: EIGHT_HOURS_MS });
    expect(backoff.delayFor(Number.MAX_SAFE_INTEGER)).toBeUndefined();
    expect(stepped(HEAD).delayFor(Number.MAX_SAFE_INTEGER)).toBe(1_800_000);
    expect(performance.now() - start).toBeLessThan(500);
  });

  it('keeps its steps if the caller changes the array', () => {
    const steps = [1, 2];
    const backoff = stepped(steps);
    steps[0] = 99;
    expect(backoff.delayFor(0)).toBe(1);
    expect(Object.isFrozen(backoff)).toBe(true);
  });

  it.each([
    [[1, -2], {}, 'Expected `delaysMs[1]` to be a finite number ≥ 0, got -2.'],
    [[Number.NaN], {}, 'Expected `delaysMs[0]` to be a finite number ≥ 0, got NaN.'],
    [[Number.POSITIVE_INFINITY], {}, 'Expected `delaysMs[0]` to be a finite number ≥ 0, got Infinity.'],
    [Array.from<number>({ length: 1 }), {}, 'Expected `delaysMs[0]` to be a finite number ≥ 0, got undefined.'],
    [JSON.parse('5'), {}, 'Expected `delaysMs` to be an array of numbers ≥ 0, got 5.'],
    [[1], { tailMs: -1 }, 'Expected `tailMs` to be a finite number ≥ 0, got -1.'],
    [[1], { budgetMs: Number.NaN }, 'Expected `budgetMs` to be a number ≥ 0, got NaN.'],
    [[1], { maxRetries: 1.5 }, 'Expected `maxRetries` to be an integer ≥ 0, got 1.5.'],
    [[1], { jitterFactor: 2 }, 'Expected `jitterFactor` to be a number from 0 to 1, got 2.'],
    [[1], JSON.parse('{"jitter":1}'), "Expected `jitter` to be one of 'none', 'symmetric', 'full', 'down', got 1."],
  ])('refuses %j with %j at creation', (steps, options, message) => {
    expect(() => stepped(steps, options)).toThrow(new TypeError(message));
  });

  const steps = fc.array(fc.nat(1_000_000), { maxLength: 12 });
  const tails = fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: null });
  test.prop([steps, tails, fc.nat(10_000_000), fc.nat(60)])(
    'waits what its budget allows, and could not have waited once more',
    (delaysMs, tailMs, budgetMs, maxRetries) => {
      const waits = delaysOf(stepped(delaysMs, { tailMs, budgetMs, maxRetries }));
      expect(sum(waits)).toBeLessThanOrEqual(budgetMs);
      const next = delaysMs[waits.length] ?? tailMs;
      const ended = next === null || waits.length === maxRetries || sum(waits) + next > budgetMs;
      expect(ended).toBe(true);
    },
  );
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

test.each<[string, () => unknown, RegExp]>([
  ['no list', () => stepped('1' as unknown as number[]), /`delaysMs` to be an array of numbers ≥ 0/],
  ['a step that is negative', () => stepped([1, -1]), /`delaysMs\[1\]`/],
  ['a tail', () => stepped([1], { tailMs: -1 }), /`tailMs`/],
  ['a budget', () => stepped([1], { budgetMs: -1 }), /`budgetMs`/],
  ['a number of retries', () => stepped([1], { maxRetries: 1.5 }), /`maxRetries`/],
  ['a jitter', () => stepped([1], { jitter: 'odd' as 'none' }), /`jitter`/],
  ['a factor', () => stepped([1], { jitterFactor: 2 }), /`jitterFactor`/],
])('a schedule of steps is refused for %s that is invalid', (_what, make, message) => {
  expect(make).toThrow(message);
});

test.each<[string, (options: unknown) => unknown]>([
  ['exponential', (options) => exponential(options as ExponentialOptions)],
  ['stepped', (options) => stepped([1], options as SteppedOptions)],
])('%s refuses a misspelt option, and options that are no object', (_which, make) => {
  expect(() => make({ jiter: 'none' })).toThrow('Unknown option `jiter`. Did you mean `jitter`?');
  expect(() => make(null)).toThrow('Expected `options` to be an object such as');
});

test('a budget of steps is inclusive, includes the tail, and maxRetries ends a schedule before it', () => {
  const waits = (options: Parameters<typeof stepped>[1]): number => {
    const backoff = stepped([10, 20], options);
    return Array.from({ length: 9 }, (_, retry) => backoff.delayFor(retry)).filter((ms) => ms !== undefined).length;
  };
  expect([29, 30, 49, 50, 70].map((budgetMs) => waits({ budgetMs }))).toEqual([1, 2, 2, 3, 4]);
  expect([0, 1, 4, Number.POSITIVE_INFINITY].map((maxRetries) => waits({ maxRetries }))).toEqual([0, 1, 4, 9]);
  expect([waits({ tailMs: null }), stepped([], { tailMs: 5 }).delayFor(3)]).toEqual([2, 5]);
});
