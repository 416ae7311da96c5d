import { expect, test } from 'vitest';
import { headerReader } from '../../src/classify/header-reader.ts';

test.each([
  ['a record', { 'Retry-After': ' 5 ' }],
  ['Headers', new Headers({ 'Retry-After': '5' })],
  ['a stand-in', { get: (name: string) => (name === 'retry-after' ? '5' : null) }],
])('reads %s by the name in lower case, trimmed', (_what, headers) => {
  expect(headerReader(headers)('retry-after')).toBe('5');
  expect(headerReader(headers)('missing')).toBeNull();
});

test('no headers, empty headers and headers that throw have nothing', () => {
  expect(headerReader(undefined)('x')).toBeNull();
  expect(headerReader({ x: '  ' })('x')).toBeNull();
  const thrower = {
    get: (): string => {
      throw new Error('no');
    },
  };
  expect(headerReader(thrower)('x')).toBeNull();
});

test('a header that is called "get" is a header', () => {
  expect(headerReader({ get: 'x' })('get')).toBe('x');
});
