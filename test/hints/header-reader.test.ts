import { describe, expect, it } from 'vitest';
import { readHeaders } from '../../src/hints/header-reader.ts';

const thrower = (): never => {
  throw new Error('no');
};

describe('readHeaders', () => {
  it.each([
    ['Headers', new Headers({ 'Retry-After': ' 5 ' })],
    ['a record', { 'Retry-After': ' 5 ' }],
    ['a record in lower case', { 'retry-after': '5' }],
    ['an object with get', { get: (name: string) => (name.toLowerCase() === 'retry-after' ? '5' : null) }],
  ])('finds a header in %s by its name in lower case, trimmed', (_shape, headers) => {
    const reader = readHeaders(headers);
    expect(reader('retry-after')).toBe('5');
    expect(reader('retry-other')).toBe('');
    expect(reader('date')).toBe('');
  });

  it('reads a record with a header called "get" as a record', () => {
    expect(readHeaders({ get: 'x', 'retry-after': '5' })('retry-after')).toBe('5');
    expect(readHeaders({ get: 'x' })('get')).toBe('x');
  });

  it('reads own properties only', () => {
    const headers: Record<string, string> = Object.create({ 'retry-after': '5' });
    expect(readHeaders(headers)('retry-after')).toBe('');
  });

  it('finds nothing in missing headers, in empty ones and in ones that throw', () => {
    expect(readHeaders(undefined)('x')).toBe('');
    expect(readHeaders(JSON.parse('null'))('x')).toBe('');
    expect(readHeaders({ x: '  ' })('x')).toBe('');
    expect(readHeaders({ get: thrower })('x')).toBe('');
    expect(readHeaders(Object.assign(Object.create(null), { get: () => '5' }))('x')).toBe('5');
    const broken = { get: () => '5', [Symbol.toStringTag]: 'Headers', [Symbol.iterator]: thrower };
    expect(readHeaders(broken)('x')).toBe('');
  });

  it('reads a number that a caller without types has put into a record', () => {
    expect(readHeaders(JSON.parse('{"retry-after":5}'))('retry-after')).toBe('5');
  });
});
