import { describe, expect, test } from 'vitest';
import { Requests } from './announced-requests.ts';

type Reported = readonly [sentMs: number, remaining: number, resetMs: number];

/** How long a limit of 100 is empty after these reports, of which the last one says that nothing remains. */
function emptyAfter(...reports: readonly Reported[]): number {
  const requests = new Requests();
  for (const [sentMs, remaining, resetMs] of reports)
    requests.answer(sentMs, sentMs + 10, { remaining, limit: 100, resetMs });
  return requests.emptyFor((reports.at(-1)?.[0] ?? 0) + 10);
}

describe('a window', () => {
  test.each<[string, ...Reported[]]>([
    ['stays until it has passed', [1_000, 50, 8_000], [5_000, 40, 4_000], [5_100, 0, 3_900]],
    ['is followed by one of a full window', [1_000, 50, 8_000], [9_100, 99, 7_900], [9_200, 0, 7_800]],
    ['is rounded up to seconds', [1_000, 50, 8_000], [5_200, 40, 4_000], [5_900, 20, 4_000], [6_100, 0, 3_000]],
    ['begins with a request', [1_000, 50, 8_000], [20_000, 99, 8_000], [20_100, 0, 7_900]],
  ])('is known by a reset that %s', (_, ...reports) => {
    const [, , resetMs] = reports.at(-1) ?? [0, 0, 0];
    expect(emptyAfter(...reports)).toBeGreaterThan(resetMs - 400);
  });

  test('is over when the last report says if an earlier one, rounded up, said that it would be over by then', () => {
    const emptyMs = emptyAfter([1_000, 50, 8_000], [5_900, 40, 3_000], [8_950, 0, 1_000]);
    expect(emptyMs).toBeCloseTo(1_000);
  });

  test.each([
    ['arrived', 0],
    ['was answered', 1],
  ])('is over at the same time for reports of the moment at which their request %s', (_, share) => {
    const requests = new Requests();
    for (let sentMs = 1_000; sentMs < 9_000; sentMs += 500) {
      const tookMs = 100 + (sentMs % 700);
      const remaining = sentMs === 8_500 ? 0 : 50;
      requests.answer(sentMs, sentMs + tookMs, { remaining, limit: 100, resetMs: 20_000 - sentMs - share * tookMs });
    }
    expect(requests.emptyFor(9_000)).toBeCloseTo(11_000);
  });
});

describe('a limit that is no window', () => {
  test.each<[string, ...Reported[]]>([
    ['a reset that moves before it has passed', [1_000, 50, 8_000], [5_000, 40, 8_000], [5_100, 0, 8_000]],
    ['resets that are apart by less than a window', [1_000, 99, 8_000], [9_100, 20, 300], [9_200, 0, 300]],
    ['a new window of which much is missing', [1_000, 50, 8_000], [9_100, 40, 7_900], [9_200, 0, 7_800]],
  ])('is known by %s', (_, ...reports) => {
    expect(emptyAfter(...reports)).toBeLessThan(200);
  });

  test('is known although its resets are rounded up', () => {
    const rounded = Array.from({ length: 12 }, (_, index): Reported => [1_000 + 900 * index, 99 - 9 * index, 10_000]);
    expect(emptyAfter(...rounded)).toBeLessThan(1_300);
  });

  test('is a bucket if its reset is the later, the more is missing', () => {
    const bucket = Array.from({ length: 10 }, (_, index): Reported => [10 * index, 90 - 10 * index, 999 * (1 + index)]);
    // It expects 5 % less than the reset says of the most that was missing.
    expect(emptyAfter(...bucket)).toBeCloseTo(99.9 / 0.95 - 10, -1);
  });

  test('slides if its reset is a window away, however much is missing: a request leaves it a window later', () => {
    const requests = new Requests();
    for (let sentMs = 1_000; sentMs <= 10_000; sentMs += 1_000)
      requests.answer(sentMs, sentMs, { remaining: 10 - sentMs / 1_000, limit: 10, resetMs: 10_000 });
    // The first was sent before the limit was known. A 64th of the window later, because some travel faster than others.
    expect(requests.emptyFor(10_000)).toBeCloseTo(12_000 + 10_000 / 64 - 10_000);
  });
});
