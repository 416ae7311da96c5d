import { fc, test } from '@fast-check/vitest';
import { describe, expect, it, vi } from 'vitest';
import { readHeaders } from '../../src/hints/header-reader.ts';
import { parseRetryAfterHeader, retryAfterMsHint, serverNow } from '../../src/hints/retry-after.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

describe('parseRetryAfterHeader', () => {
  it.each([
    ['5', 5_000],
    ['0', 0],
    ['0.1', 100],
    [' 120 ', 120_000],
    ['\t120', 120_000],
    ['2592000', 2_592_000_000],
    ['1000000000', 1_000_000_000_000],
    ['5'.padEnd(640), 5_000],
    ['Fri, 20 Nov 2026 12:00:10 GMT', 10_000],
    ['Friday, 20-Nov-26 12:00:10 GMT', 10_000],
    ['Fri Nov 20 12:00:10 2026', 10_000],
    ['Fri, 20 Nov 2026 12:00:10', 10_000],
    ['Fri, 20 Nov 2026 12:00:00 GMT', 0],
    ['2, 3', 3_000],
    ['30,2, 3', 30_000],
    ['5, Fri, 20 Nov 2026 12:00:10 GMT', 10_000],
    ['Friday, 20-Nov-26 12:00:10 GMT, 5', 10_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT, 5', 5_000],
    ['Tue, 1 Dec 2026 12:00:00 UTC', 11 * 86_400_000],
    ['Fri Nov 20 12:00:10 2026, 3', 10_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59) - NOW],
  ])('reads "%s" as %d ms', (header, ms) => {
    expect(parseRetryAfterHeader(header, NOW)).toBe(ms);
  });

  it.each([
    ['12abc', 'digits and a word'],
    ['1m', 'a duration'],
    ['-1', 'negative'],
    ['-0', 'negative'],
    ['+5', 'a sign'],
    ['1, x', 'a list with a word'],
    ['1,', 'a list with nothing in a place'],
    ['5, -1', 'a list with a negative number'],
    ['1.', 'half a fraction'],
    ['NaN', 'a word'],
    ['invalid', 'a word'],
    ['', 'empty'],
    ['   ', 'blank'],
    ['soon 45', 'what Date.parse takes for a year'],
    ['2026-11-20T12:00:10Z', 'an ISO date'],
    ['Fri, 20 Nov 2026 11:59:59 GMT', 'a past date'],
    ['Mon, 30 Feb 2027 00:00:00 GMT', 'a date that does not exist'],
    ['9'.repeat(65), 'longer than any valid value'],
  ])('finds no hint in "%s": %s', (header) => {
    expect(parseRetryAfterHeader(header, NOW)).toBeNull();
  });

  it('finds no hint without a header', () => {
    expect(parseRetryAfterHeader(null)).toBeNull();
    expect(parseRetryAfterHeader(JSON.parse('{}').header)).toBeNull();
  });

  it('keeps a huge number finite, so that the caller can refuse it', () => {
    expect(parseRetryAfterHeader('9'.repeat(23))).toBe(1e26);
  });

  it('counts a date from the clock of the machine if no time is given', () => {
    vi.spyOn(Date, 'now').mockReturnValue(NOW);
    expect(parseRetryAfterHeader('Fri, 20 Nov 2026 12:00:10 GMT')).toBe(10_000);
  });

  test.prop([fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789.-+eE ,:GMTFriNov'.split('')) }))])(
    'is null or a finite wait for any text',
    (header) => {
      const ms = parseRetryAfterHeader(header, NOW) ?? 0;
      expect(Number.isFinite(ms) && ms >= 0).toBe(true);
    },
  );

  test.prop([fc.nat(999_999_999)])('reads whole seconds exactly', (seconds) => {
    expect(parseRetryAfterHeader(String(seconds))).toBe(seconds * 1_000);
  });
});

describe('retryAfterMsHint', () => {
  it.each([
    [{ 'retry-after-ms': '0' }, 0],
    [{ 'retry-after-ms': '250.5' }, 250.5],
    [{ 'Retry-After-Ms': ' 40 ' }, 40],
    [{ 'x-amz-retry-after': '1500' }, 1_500],
    [{ 'retry-after-ms': '1', 'x-amz-retry-after': '1500' }, 1],
    [{ 'retry-after-ms': 'soon', 'x-amz-retry-after': '1500' }, 1_500],
    [{ 'retry-after-ms': '-1' }, null],
    [{ 'retry-after-ms': '5s' }, null],
    [{ 'retry-after-ms': 'NaN' }, null],
    [{ 'retry-after-ms': '' }, null],
    [{}, null],
  ])('reads %j as %s', (headers, ms) => {
    expect(retryAfterMsHint(readHeaders(headers), 0)).toBe(ms);
  });
});

describe('a moment by mistake', () => {
  const nowMs = Date.UTC(2026, 10, 24, 15);
  const inSeconds = nowMs / 1_000;

  test.each([
    [String(inSeconds + 30), 30_000],
    [String(nowMs + 30_000), 30_000],
    [String(inSeconds - 30), null],
    [String(inSeconds - 3_600 * 24 * 364), null],
    ['1000000000', 1e12],
    ['2592000', 2_592_000_000],
  ])('is read as that moment within a year of now: %s is %s ms', (value, ms) => {
    expect(parseRetryAfterHeader(value, nowMs)).toBe(ms);
  });

  test('in milliseconds', () => {
    const read = (value: number) => retryAfterMsHint(readHeaders({ 'retry-after-ms': String(value) }), nowMs);
    expect([read(nowMs + 250), read(inSeconds + 30), read(1e12)]).toEqual([250, 30_000, 1e12]);
  });
});

describe('serverNow', () => {
  const date = 'Fri, 20 Nov 2026 11:00:00 GMT';

  it('is the date header', () => {
    expect(serverNow(readHeaders({ date }), NOW)).toBe(NOW - 3_600_000);
  });

  it.each([
    ['there is none', {}],
    ['it is malformed', { date: 'today' }],
    ['a cache sent the response', { date, age: '0' }],
  ])('is our own clock when %s', (_case, headers) => {
    expect(serverNow(readHeaders(headers), NOW)).toBe(NOW);
  });
});
