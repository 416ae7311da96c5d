import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { type ToolCallPiece, ToolCallPieces } from '../../src/llm/tool-call-pieces.ts';

function put(...pieces: readonly ToolCallPiece[]): ToolCallPieces {
  const calls = new ToolCallPieces();
  for (const piece of pieces) calls.add(piece);
  return calls;
}

test('pieces of the same index are one call', () => {
  const calls = put(
    { index: 0, id: 'a', name: 'look' },
    { index: 0, arguments: '{"x"' },
    { index: 0, arguments: ':1}' },
  );
  expect(calls.take()).toEqual([{ id: 'a', name: 'look', arguments: '{"x":1}' }]);
});

test('calls with interleaved pieces are kept apart, in the order in which they began', () => {
  const calls = put(
    { index: 1, id: 'b', name: 'two' },
    { index: 0, id: 'a', name: 'one' },
    { index: 1, arguments: '[1]' },
    { index: 0, arguments: '[0]' },
  );
  expect(calls.take()).toEqual([
    { id: 'b', name: 'two', arguments: '[1]' },
    { id: 'a', name: 'one', arguments: '[0]' },
  ]);
});

test('an id or name that every piece repeats counts once', () => {
  const calls = put(
    { index: 0, id: 'a', name: 'look', arguments: '{' },
    { index: 0, id: 'a', name: 'look', arguments: '}' },
  );
  expect(calls.take()).toEqual([{ id: 'a', name: 'look', arguments: '{}' }]);
});

test('a new id starts a new call, even with the same index', () => {
  const calls = put(
    { index: 0, id: 'a', name: 'one', arguments: '[1]' },
    { index: 0, id: 'b', name: 'two', arguments: '[2]' },
  );
  expect(calls.take().map(({ id, arguments: json }) => [id, json])).toEqual([
    ['a', '[1]'],
    ['b', '[2]'],
  ]);
});

test('calls without ids are distinguished by their names and by complete arguments, even with the same index', () => {
  const calls = put(
    { index: 0, name: 'look', arguments: '{"x":1}' },
    { index: 0, name: 'look', arguments: '{"x":2}' },
    { index: 0, name: 'see' },
    { index: 0, arguments: '{"y"' },
    { index: 0, name: 'see', arguments: ':3}' },
    { index: 0, name: 'see', arguments: '' },
  );
  expect(calls.take().map(({ name, arguments: json }) => [name, json])).toEqual([
    ['look', '{"x":1}'],
    ['look', '{"x":2}'],
    ['see', '{"y":3}'],
  ]);
});

test('pieces without an index belong to the last call', () => {
  const calls = put({ id: 'a', name: 'one' }, { arguments: '[1]' }, { id: 'b', name: 'two' }, { arguments: '[2]' });
  expect(calls.take().map(({ id, arguments: json }) => [id, json])).toEqual([
    ['a', '[1]'],
    ['b', '[2]'],
  ]);
});

test('a call without arguments has an empty object, or the arguments in its start', () => {
  const calls = put(
    { index: 0, id: 'a', name: 'one' },
    { index: 1, id: 'b', name: 'two', defaultArguments: '{"x":1}' },
  );
  expect(calls.take().map(({ arguments: json }) => json)).toEqual(['{}', '{"x":1}']);
});

test('taking one index keeps the others', () => {
  const calls = put({ index: 0, id: 'a' }, { index: 1, id: 'b' });
  expect(calls.take(0).map(({ id }) => id)).toEqual(['a']);
  expect(calls.take(0)).toEqual([]);
  expect(calls.take().map(({ id }) => id)).toEqual(['b']);
  expect(calls.take()).toEqual([]);
});

test.prop([fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 20 })])(
  'however the arguments are cut, they are whole again',
  (pieces) => {
    const calls = put({ index: 0, id: 'a' }, ...pieces.map((piece) => ({ index: 0, arguments: piece })));
    expect(calls.take()[0]?.arguments).toBe(pieces.join(''));
  },
);
