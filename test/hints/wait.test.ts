import { describe, expect, it } from 'vitest';
import { parseWait, waitUntil } from '../../src/hints/wait.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

describe('parseWait', () => {
  it.each([
    ['x-ratelimit-reset-tokens', '6m0s', 360_000],
    ['x-ratelimit-reset-tokens', '64', 64_000],
    ['x-ratelimit-reset-tokens', '0', 0],
    ['x-ratelimit-reset', '12.5', 12_500],
    ['x-ratelimit-reset', String(NOW / 1_000 + 30), 30_000],
    ['x-ratelimit-reset', String(NOW + 30_500), 30_500],
    ['x-ratelimit-reset-ms', '1500', 1_500],
    ['x-ratelimit-reset-ms', String(NOW + 1_500), 1_500],
    ['retryAfterMs', '250', 250],
    ['items-reset', '250', 250_000],
    ['reset', '999999999', 999_999_999_000],
    ['reset', '99999999999', 99_999_999_999_000],
    ['reset', '1000000000', 1e12],
    ['next-access-time', '2026-Nov-20 12:00:30+0000 UTC', 30_000],
    ['resets_at', String(NOW / 1_000), 0],
    ['resets_at', '2026-11-20T12:00:30Z', 30_000],
    ['reset', '2026-11-20T12:00:30.25Z', 30_250],
    ['reset', '2026-11-20T13:00:30+01:00', 30_000],
    ['reset', '2026-11-20T06:30:30-05:30', 30_000],
    ['resets_at', '2026-11-20 20:00:30 +0800 CST', 30_000],
    ['reset', '2026-11-20 12:00:30 UTC', 30_000],
    ['reset', 'Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['retryDelay', '0.539477544s', 539.477544],
  ])('reads %s: %s as %d ms', (name, text, ms) => {
    expect(parseWait(name, text, NOW)).toBeCloseTo(ms, 6);
  });

  it.each([
    ['a negative number', 'reset', '-1'],
    ['a moment that is over', 'reset', '2026-11-20T11:59:59Z'],
    ['an epoch that is over', 'reset', String(NOW / 1_000 - 1)],
    ['an epoch in milliseconds that is over', 'reset', String(NOW - 1)],
    ['a month that does not exist', 'reset', '2026-Foo-20 12:00:30+0000 UTC'],
    ['a timestamp with a year of six digits', 'reset', '+012026-11-20T12:00:30Z'],
    ['a timestamp without an offset', 'reset', '2026-11-20T12:00:30'],
    ['a timestamp that does not exist', 'reset', '2026-13-20T12:00:30Z'],
    ['a number that is no moment where one is promised', 'resets_at', '0'],
    ['a small number where a moment is promised', 'resets_at', '30'],
    ['a duration with something behind it', 'reset', '5s or so'],
    ['nothing', 'reset', ''],
    ['a word', 'reset', 'null'],
  ])('finds no wait in %s', (_case, name, text) => {
    expect(parseWait(name, text, NOW)).toBeNull();
  });

  it('stays finite for numbers of any size', () => {
    expect(parseWait('reset', '9'.repeat(64), NOW)).toBeCloseTo(1e67, -60);
    expect(parseWait('reset', '9'.repeat(400), NOW)).toBeNull();
  });
});

describe('waitUntil', () => {
  it('is the time until a moment, 0 at the moment itself, and null after it', () => {
    expect([waitUntil(NOW + 5, NOW), waitUntil(NOW, NOW), waitUntil(NOW - 1, NOW)]).toEqual([5, 0, null]);
  });

  it('is null without a moment, or without a current time', () => {
    expect([waitUntil(Number.NaN, NOW), waitUntil(Number.NaN, NOW), waitUntil(NOW, Number.NaN)]).toEqual([
      null,
      null,
      null,
    ]);
    expect(waitUntil(Number.NaN, 0)).toBeNull();
  });
});
