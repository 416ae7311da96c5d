import { describe, expect, it } from 'vitest';
import {
  amount,
  attempt as storedAttempt,
  context,
  count,
  cut,
  failure as storedFailure,
  instant,
  list,
  scrub,
  text,
} from '../../src/report/stored-values.ts';
import { attempt, failure, SECRET } from './sample-events.ts';

const whole = failure('rate_limit', {
  code: 'rate_limit_exceeded',
  provider: 'openai',
  retryAfterMs: 1_500,
  hintSource: 'retry-after-ms',
  action: 'Wait.',
});

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
  ])('%j is the amount %j, the count %j and the instant %j', (value, ...expected) => {
    expect([amount, count, instant].map((read) => read(value, cut))).toEqual(expected);
  });

  it('is a failure with all of its fields, and no others', () => {
    expect(storedFailure({ ...whole, stack: 'x' }, cut)).toEqual(whole);
    expect(
      storedFailure(
        { ...whole, hintSource: 'guess', status: -1, code: 7, retryAfterMs: Number.POSITIVE_INFINITY },
        cut,
      ),
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
    expect(storedAttempt({ ...made, extra: 1 }, cut)).toEqual(made);
    expect(storedAttempt(attempt(4), cut)).toEqual(attempt(4));
  });

  it('is a context of at most 32 texts', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`name ${index}`, 'x'.repeat(600)]));
    const copy = context({ ...many, count: 1 }, cut) ?? {};
    expect(Object.keys(copy)).toHaveLength(32);
    expect(copy['name 0']).toHaveLength(512);
    expect(context(null, cut)).toBeUndefined();
  });

  it('is a list only if each of its items is valid, and there are not too many', () => {
    expect(list(text(3), 2)(['abcd', 'e'], cut)).toEqual(['abc', 'e']);
    expect(list(text(3), 2)(['a', 1], cut)).toBeUndefined();
    expect(list(text(3), 2)(['a', 'b', 'c'], cut)).toBeUndefined();
    expect(list(text(3), 2)({ length: 0 }, cut)).toBeUndefined();
  });
});

describe('a text that is written', () => {
  it('is masked before it is cut; one that is read is only cut', () => {
    expect(scrub(`key ${SECRET}`, 10)).toBe('key [redac');
    expect(cut('abcdef', 3)).toBe('abc');
  });
});
