import { describe, expect, test } from 'vitest';
import { Requests } from './announced-requests.ts';

describe('a limit that is no window', () => {
  const reportsOf = (reports: readonly (readonly [sentMs: number, remaining: number, resetMs: number])[]): Requests => {
    const requests = new Requests();
    for (const [sentMs, remaining, resetMs] of reports)
      requests.answer(sentMs, sentMs, { remaining, limit: 100, resetMs });
    return requests;
  };

  test('is known by a report right after its reset that is far below the limit', () => {
    const requests = reportsOf([
      [1_000, 50, 8_000],
      [9_100, 40, 5_000],
      [9_200, 0, 5_000],
    ]);
    expect(requests.emptyFor(9_200)).toBeLessThan(1_000);
    const window = reportsOf([
      [1_000, 50, 8_000],
      [9_100, 99, 7_900],
      [9_200, 0, 7_800],
    ]);
    expect(window.emptyFor(9_200)).toBe(7_800);
  });

  test('is known although its resets are rounded up, and has room again when the oldest request leaves it', () => {
    const requests = new Requests();
    for (let sentMs = 1_000; sentMs < 10_000; sentMs += 1_000)
      requests.answer(sentMs, sentMs, { remaining: 11 - sentMs / 1_000, limit: 10, resetMs: 11_000 - sentMs });
    requests.answer(10_400, 10_400, { remaining: 1, limit: 10, resetMs: 10_000 });
    requests.answer(10_500, 10_500, { remaining: 0, limit: 10, resetMs: 10_000 });
    // The first was sent before the limit was known. A 64th of the window later, because some travel faster than others.
    expect(requests.emptyFor(10_500)).toBeCloseTo(12_000 + 10_000 / 64 - 10_500);
    expect(requests.emptyFor(12_200)).toBe(0);
    // A refusal shows that the server only approximates the window.
    requests.refuse(10_600, 10_600, { remaining: 0, limit: 10, resetMs: 9_800 });
    expect(requests.emptyFor(10_600)).toBeLessThan(1_300);
  });

  test('is no bucket if its reset is a window away, however much is missing', () => {
    const requests = new Requests();
    for (let sentMs = 1_000; sentMs <= 10_000; sentMs += 1_000)
      requests.answer(sentMs, sentMs, { remaining: 10 - sentMs / 1_000, limit: 10, resetMs: 10_000 });
    // The first was sent before the limit was known. A 64th of the window later, because some travel faster than others.
    expect(requests.emptyFor(10_000)).toBeCloseTo(12_000 + 10_000 / 64 - 10_000);
    const bucket = new Requests();
    for (let sentMs = 1_000; sentMs <= 10_000; sentMs += 1_000)
      bucket.answer(sentMs, sentMs, { remaining: 10 - sentMs / 1_000, limit: 10, resetMs: sentMs });
    expect(bucket.emptyFor(10_000)).toBeLessThan(1_100);
  });

  test('is known by a reset that moves before it has passed', () => {
    const requests = reportsOf([
      [1_000, 50, 8_000],
      [5_000, 40, 8_000],
      [5_100, 0, 8_000],
    ]);
    expect(requests.emptyFor(5_100)).toBeLessThan(1_000);
  });
});
