/**
 * The three date formats of HTTP, parsed strictly and always as GMT. `Date.parse` is not used: it reads asctime dates
 * in the local time zone, accepts "soon 45" as a year, and differs between engines.
 */

// IMF-fixdate or RFC 850. A missing zone is GMT; second 60 is a leap second. Some servers write a day without the
// leading zero, or UTC as the zone.
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:, ([ \d]?\d) ([A-Z][a-z]{2}) ([1-9]\d{3})|[a-z]{0,3}day, (\d?\d)-([A-Z][a-z]{2})-(\d\d)) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?: (?:GMT|UTC))?$/;
// "Sun Nov  6 08:49:37 1994" has the same parts in another order.
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]?\d) (\S{8}) (\d{4})/;
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

/** The number of a month, from 0, by the first three letters of its name; a fraction for any other text. */
export const monthOf = (name: string): number => MONTHS.indexOf(name.toLowerCase()) / 3;

/**
 * An HTTP date (RFC 9110, section 5.6.7) as milliseconds since the epoch; NaN for a text that is not one, and for a
 * date that does not exist. The weekday is not compared with the date. `nowMs` decides the century of a year with two
 * digits.
 */
export function parseHttpDate(text: string, nowMs: number): number {
  if (text === '') return Number.NaN;
  const parts = HTTP_DATE.exec(text.replace(ASCTIME, '$1, $3 $2 $5 $4'))?.filter((part) => part !== undefined);
  if (parts === undefined) return Number.NaN;
  const [, day = 0, , shownYear = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(Number);
  const month = monthOf(String(parts[2]));
  const inYear = (year: number): number => {
    const date = new Date(Date.UTC(year, month, day));
    // 30 February becomes a day in March, so the month tells whether the date exists.
    return date.getUTCMonth() === month ? date.setUTCHours(hours, minutes, seconds) : Number.NaN;
  };
  if (shownYear > 99) return inYear(shownYear);

  // The latest year with these two digits that is at most 50 years in the future (RFC 9110).
  const thisYear = new Date(nowMs).getUTCFullYear();
  const limitMs = new Date(nowMs).setUTCFullYear(thisYear + 50);
  const year = thisYear - (thisYear % 100) + shownYear;
  return [year + 100, year, year - 100].map(inYear).find((moment) => moment <= limitMs) ?? Number.NaN;
}
