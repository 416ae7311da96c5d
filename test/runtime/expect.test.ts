import { describe, expect, it } from 'vitest';
import { expectIndex, expectNumber, mismatch, oneOf } from '../../src/runtime/expect.ts';

describe('expectNumber', () => {
  it.each([
    [0, {}],
    [2.5, {}],
    [-1, { min: -1 }],
    [1, { max: 1 }],
    [3, { integer: true }],
    [Number.POSITIVE_INFINITY, { max: Number.POSITIVE_INFINITY }],
    [Number.POSITIVE_INFINITY, { integer: true, max: Number.POSITIVE_INFINITY }],
  ])('returns %d for %j', (value, range) => {
    expect(expectNumber('x', value, range)).toBe(value);
  });

  it.each([
    [Number.NaN, { integer: true, max: Number.POSITIVE_INFINITY }, 'an integer ≥ 0, got NaN'],
    [1.5, { min: 1, integer: true }, 'an integer ≥ 1, got 1.5'],
    [Number.POSITIVE_INFINITY, { integer: true }, 'an integer ≥ 0, got Infinity'],
    [Number.NaN, { max: 1 }, 'a number from 0 to 1, got NaN'],
    [1.1, { max: 1 }, 'a number from 0 to 1, got 1.1'],
    [-1, {}, 'a finite number ≥ 0, got -1'],
    [Number.POSITIVE_INFINITY, {}, 'a finite number ≥ 0, got Infinity'],
    [Number.NEGATIVE_INFINITY, { max: Number.POSITIVE_INFINITY }, 'a number ≥ 0, got -Infinity'],
    ['3', {}, 'a finite number ≥ 0, got "3"'],
    [undefined, {}, 'a finite number ≥ 0, got undefined'],
    [null, {}, 'a finite number ≥ 0, got null'],
    [3n, {}, 'a finite number ≥ 0, got 3'],
  ])('refuses %s for %j', (value, range, sentence) => {
    expect(() => expectNumber('maxRetries', value, range)).toThrow(
      new TypeError(`Expected \`maxRetries\` to be ${sentence}.`),
    );
  });
});

describe('expectIndex', () => {
  it('returns an index', () => {
    expect([expectIndex('retry', 0), expectIndex('retry', 2 ** 40)]).toEqual([0, 2 ** 40]);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined])('refuses %s as out of range', (value) => {
    expect(() => expectIndex('retry', value)).toThrow(RangeError);
    expect(() => expectIndex('retry', value)).toThrow(/^Expected `retry` to be an integer ≥ 0, got .+\.$/);
  });
});

describe('oneOf', () => {
  const check = oneOf(['none', 'full']);

  it('accepts one of the words', () => {
    expect(() => check('jitter', 'full')).not.toThrow();
  });

  it('refuses any other word and lists the allowed ones', () => {
    expect(() => check('jitter', 'Full')).toThrow(
      new TypeError("Expected `jitter` to be one of 'none', 'full', got \"Full\"."),
    );
  });
});

describe('mismatch', () => {
  it.each([
    ['x'.repeat(33), 'a long string'],
    [[1], 'an array'],
    [{ key: 'secret' }, 'an object'],
    [() => 1, 'a function'],
    [Symbol('x'), 'a symbol'],
    [true, 'true'],
  ])('shows no more of a value than is needed to see the mistake', (value, shown) => {
    expect(mismatch('x', 'y', value)).toBe(`Expected \`x\` to be y, got ${shown}.`);
  });
});
