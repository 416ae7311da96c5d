import { describe, expect, it } from 'vitest';
import { indexHeaders } from '../../src/classify/header-index.ts';

const thrower = (): never => {
  throw new Error('no');
};

describe('indexHeaders', () => {
  it.each([
    ['Headers', new Headers({ 'Retry-After': ' 5 ' })],
    ['a record', { 'Retry-After': ' 5 ' }],
    ['an object with get', { get: (name: string) => (name === 'retry-after' ? '5' : null) }],
    [
      'an object whose iterator is broken',
      { get: (name: string) => (name === 'retry-after' ? ' 5' : null), [Symbol.iterator]: thrower },
    ],
    [
      'an object whose iterator breaks off',
      {
        get: (name: string) => (name === 'retry-after' ? ' 5' : null),
        *[Symbol.iterator]() {
          yield ['date', 'x'];
          thrower();
        },
      },
    ],
  ])('finds a header in %s by its name in lower case, trimmed', (_shape, headers) => {
    const { header, mayHint } = indexHeaders(headers);
    expect(header('retry-after')).toBe('5');
    expect(header('date')).toBe('');
    expect(mayHint).toBe(true);
  });

  it('has nothing in no headers, and in ones that throw', () => {
    expect(indexHeaders(undefined).header('x')).toBe('');
    expect(indexHeaders(JSON.parse('null')).header('x')).toBe('');
    expect(indexHeaders({ get: thrower }).header('x')).toBe('');
    expect(indexHeaders(JSON.parse('{"x":null}')).header('x')).toBe('');
  });

  it('tells whether a wait may be named in there', () => {
    expect(indexHeaders({ 'X-RateLimit-Reset': '5' }).mayHint).toBe(true);
    expect(indexHeaders({ 'x-amz-retry-after': '5' }).mayHint).toBe(true);
    expect(indexHeaders({ get: () => null }).mayHint).toBe(true);
    expect(indexHeaders(new Headers({ date: 'x' })).mayHint).toBe(false);
    expect(indexHeaders(undefined).mayHint).toBe(false);
  });
});
