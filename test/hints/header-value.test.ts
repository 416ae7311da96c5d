import { describe, expect, it } from 'vitest';
import { headerValue } from '../../src/hints/header-value.ts';

describe('headerValue', () => {
  it.each([
    ['Headers', new Headers({ 'Retry-After': ' 5 ' })],
    ['a record', { 'Retry-After': ' 5 ' }],
    ['a record in lower case', { 'retry-after': '5' }],
    ['an object with get', { get: (name: string) => (name.toLowerCase() === 'retry-after' ? '5' : null) }],
  ])('finds a header in %s, trimmed', (_shape, headers) => {
    expect(headerValue(headers, 'retry-after')).toBe('5');
    expect(headerValue(headers, 'retry-other')).toBe('');
    expect(headerValue(headers, 'date')).toBe('');
  });

  it('takes a record whose header is called "get" for a record', () => {
    expect(headerValue({ get: 'x', 'retry-after': '5' }, 'retry-after')).toBe('5');
  });

  it('sees own properties only', () => {
    const headers: Record<string, string> = Object.create({ 'retry-after': '5' });
    expect(headerValue(headers, 'retry-after')).toBe('');
  });

  it('is empty without headers', () => {
    expect(headerValue(undefined, 'retry-after')).toBe('');
    expect(headerValue(JSON.parse('null'), 'retry-after')).toBe('');
  });

  it('takes a number that a caller without types has put into a record', () => {
    expect(headerValue(JSON.parse('{"retry-after":5}'), 'retry-after')).toBe('5');
  });
});
