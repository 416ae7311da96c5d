import { describe, expect, test } from 'vitest';
import { isObject, objectsOf, own, ownText, parseJson } from '../../src/runtime/values.ts';

describe('a member of parsed JSON', () => {
  test.each<[what: string, value: unknown, name: string, member: unknown]>([
    ['is what an object has', { a: 1 }, 'a', 1],
    ['is not what it inherits', Object.create({ a: 1 }), 'a', undefined],
    ['is not what every object has', {}, 'toString', undefined],
    ['is not in a list', [1], '0', undefined],
    ['is not in null', null, 'a', undefined],
    ['is not in a text', 'text', 'length', undefined],
  ])('is read only where it is its own: it %s', (_what, value, name, member) => {
    expect(own(value, name)).toBe(member);
  });

  test('is read as a string, empty for any other value', () => {
    expect([ownText({ a: 'x' }, 'a'), ownText({ a: 5 }, 'a'), ownText(null, 'a')]).toEqual(['x', '', '']);
  });
});

test('an array and null are not objects', () => {
  expect([{}, [], null, 'x', undefined].map(isObject)).toEqual([true, false, false, false, false]);
});

test('members of a list that are not objects are dropped', () => {
  expect(objectsOf([1, { a: 1 }, null, [2], 'x', {}])).toEqual([{ a: 1 }, {}]);
  expect(objectsOf({ a: 1 })).toEqual([]);
});

test('invalid JSON has no value', () => {
  expect([parseJson('{"a":1}'), parseJson('{"a":'), parseJson('null')]).toEqual([{ a: 1 }, undefined, null]);
});
