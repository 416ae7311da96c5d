import { fc, test } from '@fast-check/vitest';
import { describe, expect, it, vi } from 'vitest';
import { parseHttpDate } from '../../src/hints/http-date.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const SAMPLE = Date.UTC(1994, 10, 6, 8, 49, 37);

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

function rfc850(date: Date): string {
  const [, day, month, year = '', time] = date.toUTCString().split(' ');
  return `${WEEKDAYS[date.getUTCDay()]}, ${day}-${month}-${year.slice(-2)} ${time} GMT`;
}

function asctime(date: Date): string {
  const [weekday, day = '', month, year, time] = date.toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}

describe('parseHttpDate', () => {
  it.each([
    ...['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'],
    ...['Sun Nov 6 08:49:37 1994', 'Sun, 06 Nov 1994 08:49:37', 'Sunday, 06-Nov-94 08:49:37'],
    ...['Sun Nov  6 08:49:37 1994 GMT', 'Sun Nov 06 08:49:37 1994', 'Sunday, 6-Nov-94 08:49:37 GMT'],
  ])('reads "%s", with or without its zone', (text) => {
    expect(parseHttpDate(text, NOW)).toBe(SAMPLE);
  });

  it.each(['America/New_York', 'Asia/Kathmandu'])('reads every format as GMT in the zone %s', (zone) => {
    vi.stubEnv('TZ', zone);
    expect(new Date(SAMPLE).getTimezoneOffset()).not.toBe(0);
    for (const text of ['Sun, 06 Nov 1994 08:49:37', 'Sunday, 06-Nov-94 08:49:37', 'Sun Nov  6 08:49:37 1994']) {
      expect(parseHttpDate(text, NOW)).toBe(SAMPLE);
    }
  });

  it.each([
    ['20-Nov-26', 2026, 'this year'],
    ['19-Nov-26', 2026, 'this year, over'],
    ['01-Jan-27', 2027, 'the next year'],
    ['01-Jan-76', 2076, 'less than 50 years ahead'],
    ['20-Nov-76', 2076, 'exactly 50 years ahead'],
    ['21-Nov-76', 1976, 'more than 50 years ahead'],
    ['01-Jan-77', 1977, 'more than 50 years ahead'],
    ['31-Dec-99', 1999, 'the last century'],
    ['29-Feb-00', 2000, 'a leap year only one way'],
  ])('reads %s as %d: %s', (date, year) => {
    expect(new Date(parseHttpDate(`Friday, ${date} 12:00:00 GMT`, NOW)).getUTCFullYear()).toBe(year);
  });

  it('reads a two-digit year late in this century as one of the next', () => {
    const late = Date.UTC(2098, 0, 1);
    expect(parseHttpDate('Friday, 01-Jan-05 00:00:00 GMT', late)).toBe(Date.UTC(2105, 0, 1));
    expect(parseHttpDate('Friday, 01-Jan-99 00:00:00 GMT', late)).toBe(Date.UTC(2099, 0, 1));
  });

  it('reads a leap second as the second after it', () => {
    expect(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT', NOW)).toBe(Date.UTC(2017, 0, 1));
  });

  it.each([
    ...['Mon, 30 Feb 2026 00:00:00 GMT', 'Sun, 29 Feb 2026 00:00:00 GMT', 'Sun, 00 Nov 1994 08:49:37 GMT'],
    ...['Sun, 32 Nov 1994 08:49:37 GMT', 'Sun, 06 Foo 1994 08:49:37 GMT', 'Sun, 06 anF 1994 08:49:37 GMT'],
    ...['Sun, 06 nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 24:00:00 GMT', 'Sun, 06 Nov 1994 08:60:00 GMT'],
    ...['Sun, 06 Nov 1994 08:49:61 GMT', 'Sunday, 30-Feb-26 08:49:37 GMT', 'Sun Feb 30 08:49:37 2026'],
  ])('refuses "%s", which does not exist', (text) => {
    expect(parseHttpDate(text, NOW)).toBeNaN();
  });

  it.each([
    ...['', 'soon 45', 'tomorrow', '2026-11-20T12:00:00Z', '20 Nov 2026 12:00:00 GMT'],
    ...['Foo, 20 Nov 2026 12:00:00 GMT', 'fri, 20 nov 2026 12:00:00 gmt', 'Fri, 20 Nov 2026 12:00:00 EST'],
    ...['Fri, 20 Nov 2026 12:00:00 +0000', 'Fri, 20 Nov 26 12:00:00 GMT', 'Friday, 20-Nov-2026 12:00:00 GMT'],
    ...['Fri, 20-Nov-2026 12:00:00 GMT', 'Fri, 20 Nov 0026 12:00:00 GMT', 'Fri, 20 Nov 12026 12:00:00 GMT'],
    ...['Fri, 20 Nov 2026 12:00 GMT', ' Fri, 20 Nov 2026 12:00:00 GMT'],
    'Fri, 20 Nov 2026 12:00:00 GMT, Fri, 20 Nov 2026 12:00:00 GMT',
  ])('refuses "%s", which has none of the three formats', (text) => {
    expect(parseHttpDate(text, NOW)).toBeNaN();
  });

  it('refuses a two-digit year if the current time is not given', () => {
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', Number.NaN)).toBeNaN();
  });

  const moments = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) / 1_000 });
  test.prop([moments])('reads back any date as IMF-fixdate and as asctime', (seconds) => {
    const date = new Date(seconds * 1_000);
    expect(parseHttpDate(date.toUTCString(), NOW)).toBe(date.getTime());
    expect(parseHttpDate(asctime(date), NOW)).toBe(date.getTime());
  });

  const fiftyYears = fc.integer({ min: -49 * 31_556_952, max: 49 * 31_556_952 });
  test.prop([moments, fiftyYears])('reads back an RFC 850 date within 49 years of now', (nowSeconds, offset) => {
    const nowMs = nowSeconds * 1_000;
    const date = new Date(nowMs + offset * 1_000);
    fc.pre(date.getUTCFullYear() >= 1_000);
    expect(parseHttpDate(rfc850(date), nowMs)).toBe(date.getTime());
  });
});
