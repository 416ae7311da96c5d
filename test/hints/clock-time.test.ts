import { describe, expect, it } from 'vitest';
import { clockTimeHint } from '../../src/hints/clock-time.ts';
import { messageHint } from '../../src/hints/message.ts';

const NOW = Date.UTC(2026, 5, 10, 15, 30, 0);

/** The moment that a text names, seen at `now`. */
const momentIn = (text: string, now = NOW): string | null => {
  const ms = clockTimeHint(text, now);
  expect(messageHint(text, now)).toBe(ms);
  return ms === null ? null : new Date(now + ms).toISOString();
};

describe('clockTimeHint', () => {
  it.each([
    ["You've hit your limit · resets 8pm (America/New_York)", '2026-06-11T00:00:00.000Z'],
    ['resets 5:30am (America/New_York)', '2026-06-11T09:30:00.000Z'],
    ['5-hour limit reached ∙ resets 12am (Europe/Paris)', '2026-06-10T22:00:00.000Z'],
    ['resets 12:50pm (Asia/Kolkata)', '2026-06-11T07:20:00.000Z'],
    ['resets 9pm (America/Argentina/Buenos_Aires)', '2026-06-11T00:00:00.000Z'],
    ['Daily quota used up. Resets at 10:00 UTC', '2026-06-11T10:00:00.000Z'],
    ['RESETS AT 23:59:00 UTC.', '2026-06-10T23:59:00.000Z'],
    ['Your limit will reset at 6pm (GMT)', '2026-06-10T18:00:00.000Z'],
    ['resets at 3:30pm UTC', '2026-06-10T15:30:00.000Z'],
  ])('finds the next such time of the day in "%s"', (text, moment) => {
    expect(momentIn(text)).toBe(moment);
  });

  it.each([
    ['resets Jun 17, 7pm (Asia/Riyadh)', '2026-06-17T16:00:00.000Z'],
    ['resets September 30 at 4pm (America/New_York)', '2026-09-30T20:00:00.000Z'],
    ['Limit resets on Dec. 1, 00:00 UTC', '2026-12-01T00:00:00.000Z'],
  ])('finds the date in "%s"', (text, moment) => {
    expect(momentIn(text)).toBe(moment);
  });

  it('finds a date of the next year, if it is near', () => {
    const december = Date.UTC(2026, 11, 28, 12);
    expect(momentIn('resets Jan 2, 4pm (UTC)', december)).toBe('2027-01-02T16:00:00.000Z');
    expect(momentIn('resets Dec 27, 4pm (UTC)', december)).toBeNull();
  });

  it('keeps the time of the clock when summer time begins or ends before', () => {
    expect(momentIn('resets 8am (America/New_York)', Date.UTC(2026, 2, 8, 2))).toBe('2026-03-08T12:00:00.000Z');
    expect(momentIn('resets 8am (Europe/Berlin)', Date.UTC(2026, 9, 24, 20))).toBe('2026-10-25T07:00:00.000Z');
  });

  it('begins with the day that it is in the zone', () => {
    expect(momentIn('resets 4am (Asia/Tokyo)', Date.UTC(2026, 5, 10, 20))).toBe('2026-06-11T19:00:00.000Z');
    expect(momentIn('resets 8am (Asia/Tokyo)', Date.UTC(2026, 5, 10, 20))).toBe('2026-06-10T23:00:00.000Z');
    expect(momentIn('resets 11pm (America/New_York)', Date.UTC(2026, 5, 10, 2))).toBe('2026-06-10T03:00:00.000Z');
  });

  it('counts from a moment between two seconds', () => {
    expect(clockTimeHint('resets at 15:31 UTC', NOW + 250)).toBe(59_750);
  });

  it.each([
    ['5-hour limit reached ∙ resets 3pm', [2026, 5, 10, 15]],
    ['Upgrade to Pro or try again at 5:42 PM.', [2026, 5, 10, 17, 42]],
    ['purchase more credits or try again at Dec 23rd, 2026 3:10 PM.', [2026, 11, 23, 15, 10]],
    ['try again at Jun 11th 9:00 am', [2026, 5, 11, 9]],
  ] as const)('reads a time without a zone by the clock of this machine, in "%s", if told to', (text, local) => {
    const [year, month, day, hour, minute = 0] = local;
    const now = new Date(2026, 5, 10, 13, 5).getTime();
    const expected = new Date(year, month, day, hour, minute).getTime() - now;
    expect([clockTimeHint(text, now, 'local'), clockTimeHint(text, now)]).toEqual([expected, null]);
  });

  it('does not move a date with a year to the next one', () => {
    expect(clockTimeHint('try again at Jan 3rd, 2026 3:10 PM', NOW, 'local')).toBeNull();
  });

  it.each([
    ['without a zone', 'resets 2am'],
    ['with a zone that does not exist', 'resets 8pm (Middle/Earth)'],
    ['that no clock shows', 'resets 13pm (UTC), resets at 25:00 UTC'],
    ['after the last hour of a day', 'resets at 24:00 UTC'],
    ['with 61 minutes', 'resets at 10:61 UTC'],
    ['that is only a number', 'resets 3 UTC'],
    ['of no month', 'resets Foo 3, 4pm (UTC)'],
    ['of the end of one month and the beginning of the next', 'resets nfe 3, 4pm (UTC)'],
    ['of two halves of months', 'resets anf 3, 4pm (UTC)'],
    ['of something else', 'The shop opens at 10:00 UTC'],
  ])('finds nothing in a time %s', (_what, text) => {
    expect(momentIn(text)).toBeNull();
  });
});
