import { expect, test } from 'vitest';
import { field, list, parse, text } from '../../src/llm/json.ts';

test.each([
  [{ a: 1 }, 'a', 1],
  [{ a: 1 }, 'b', undefined],
  [{}, 'constructor', undefined],
  [null, 'a', undefined],
  ['text', 'length', undefined],
  [undefined, 'a', undefined],
])('field of %j, %s: %j', (value, name, expected) => {
  expect(field(value, name)).toBe(expected);
});

test('a value that is not an array is empty, one that is not a string is empty, invalid JSON is undefined', () => {
  expect([list([1]), list({ 0: 1 }), list(null)]).toEqual([[1], [], []]);
  expect([text('a'), text(1), text(undefined)]).toEqual(['a', '', '']);
  expect([parse('{"a":1}'), parse('[DONE]')]).toEqual([{ a: 1 }, undefined]);
});
