import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  amountOf,
  attemptOf,
  contextOf,
  countOf,
  cut,
  failureOf,
  fieldsOf,
  instantOf,
  listOf,
  scrub,
  textOf,
} from '../../src/report/stored-values.ts';
import { attempt, failure, SECRET } from './sample-events.ts';

const whole = failure('rate_limit', {
  code: 'rate_limit_exceeded',
  provider: 'openai',
  retryAfterMs: 1_500,
  hintSource: 'retry-after-ms',
  action: 'Wait.',
});

const read = (value: unknown): string | undefined => textOf(value, cut, 3);

describe('a stored value', () => {
  it.each([
    [0, 0, 0, 0],
    [1.5, 1.5, undefined, 1.5],
    [8.64e15, 8.64e15, 8.64e15, 8.64e15],
    [8.65e15, 8.65e15, 8.65e15, undefined],
    [1e300, 1e300, undefined, undefined],
    [-1, undefined, undefined, undefined],
    [Number.NaN, undefined, undefined, undefined],
    [Number.POSITIVE_INFINITY, undefined, undefined, undefined],
    ['1', undefined, undefined, undefined],
  ])('%j is the amount %j, the count %j and the instant %j', (value, amount, count, instant) => {
    expect([amountOf(value), countOf(value), instantOf(value)]).toEqual([amount, count, instant]);
  });

  it('is a failure with all of its fields, and no others', () => {
    expect(failureOf({ ...whole, stack: 'x' }, cut)).toEqual(whole);
    expect(
      failureOf({ ...whole, hintSource: 'guess', status: -1, code: 7, retryAfterMs: Number.POSITIVE_INFINITY }, cut),
    ).toEqual({
      type: 'rate_limit',
      retryable: true,
      category: 'retryable',
      provider: 'openai',
      message: 'Overloaded',
      phase: 'response',
      action: 'Wait.',
    });
  });

  it('is an attempt with all of its fields', () => {
    const made = attempt(3, { target: 'haiku', failure: null, delayMs: null, because: null });
    expect(attemptOf({ ...made, extra: 1 }, cut)).toEqual(made);
    expect(attemptOf(attempt(4), cut)).toEqual(attempt(4));
  });

  it('is a context of at most 32 texts', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`name ${index}`, 'x'.repeat(600)]));
    const context = contextOf({ ...many, count: 1 }, cut) ?? {};
    expect(Object.keys(context)).toHaveLength(32);
    expect(context['name 0']).toHaveLength(512);
    expect(contextOf(null, cut)).toBeUndefined();
  });

  it('is a list only if each of its items is valid, and there are not too many', () => {
    expect(listOf(['abcd', 'e'], 2, read)).toEqual(['abc', 'e']);
    expect(listOf(['a', 1], 2, read)).toBeUndefined();
    expect(listOf(['a', 'b', 'c'], 2, read)).toBeUndefined();
    expect(listOf({ length: 0 }, 2, read)).toBeUndefined();
  });

  test.prop([fc.anything()])('is a copy without a prototype, or undefined', (value) => {
    const fields = fieldsOf(value);
    expect(fields === undefined || Object.getPrototypeOf(fields) === null).toBe(true);
    expect(fields?.['toString'] === undefined || Object.hasOwn(Object(value), 'toString')).toBe(true);
  });
});

describe('a text that is written', () => {
  it('is masked before it is cut; one that is read is only cut', () => {
    expect(scrub(`key ${SECRET}`, 10)).toBe('key [redac');
    expect(cut('abcdef', 3)).toBe('abc');
  });
});
