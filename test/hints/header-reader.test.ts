import { describe, expect, it } from 'vitest';
import { HeaderReader, readHeaders } from '../../src/hints/header-reader.ts';

const thrower = (): never => {
  throw new Error('no');
};

describe('HeaderReader', () => {
  it.each([
    ['Headers', new Headers({ 'Retry-After': ' 5 ' })],
    ['a record', { 'Retry-After': ' 5 ' }],
    ['a record in lower case', { 'retry-after': '5' }],
    ['an object with get', { get: (name: string) => (name.toLowerCase() === 'retry-after' ? '5' : null) }],
    [
      'an object whose iterator is broken',
      { get: (name: string) => (name === 'retry-after' ? ' 5' : null), [Symbol.iterator]: thrower },
    ],
  ])('finds a header in %s by its name in lower case, trimmed', (_shape, headers) => {
    const reader = readHeaders(headers);
    expect(reader.get('retry-after')).toBe('5');
    expect(reader.get('retry-other')).toBe('');
    expect(reader.get('date')).toBe('');
  });

  it('takes a record whose header is called "get" for a record', () => {
    expect(readHeaders({ get: 'x', 'retry-after': '5' }).get('retry-after')).toBe('5');
    expect(readHeaders({ get: 'x' }).get('get')).toBe('x');
  });

  it('sees own properties only', () => {
    const headers: Record<string, string> = Object.create({ 'retry-after': '5' });
    expect(readHeaders(headers).get('retry-after')).toBe('');
  });

  it('has nothing in no headers, in empty ones and in ones that throw', () => {
    expect(readHeaders(undefined).get('x')).toBe('');
    expect(readHeaders(JSON.parse('null')).get('x')).toBe('');
    expect(readHeaders({ x: '  ' }).get('x')).toBe('');
    expect(readHeaders({ get: thrower }).get('x')).toBe('');
  });

  it('takes a number that a caller without types has put into a record', () => {
    expect(readHeaders(JSON.parse('{"retry-after":5}')).get('retry-after')).toBe('5');
  });

  it('tells whether anything may be said of a rate limit', () => {
    expect(readHeaders({ 'X-RateLimit-Reset': '5' }).mayLimit).toBe(true);
    expect(readHeaders({ get: () => null }).mayLimit).toBe(true);
    expect(readHeaders(new Headers({ date: 'x' })).mayLimit).toBe(false);
    expect(readHeaders(undefined).mayLimit).toBe(false);
  });

  it('is not read twice', () => {
    const reader = new HeaderReader({});
    expect(readHeaders(reader)).toBe(reader);
  });
});
