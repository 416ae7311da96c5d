import { describe, expect, test } from 'vitest';
import { normalise, readEvidence } from '../../src/classify/envelope.ts';
import { isAboveLimit, isShortWindow, limitOf, LONGEST_WAIT_MS, NEVER } from '../../src/classify/limits.ts';
import { readByRule } from '../../src/classify/provider-rules.ts';

const LONG = LONGEST_WAIT_MS + 1;

describe('isAboveLimit', () => {
  test.each([
    'Limit 7000, Used 0, Requested 12903',
    'Limit: 7000, Used: 12, Requested: 7001',
    'Limit 7000, Requested: ~12903. Please try again',
    'limit 2, requested 3',
  ])('a request is above the limit: %s', (text) => {
    expect(isAboveLimit(normalise(text))).toBe(true);
  });

  test.each([
    ['one of the same size', 'Limit 7000, Used 0, Requested 7000'],
    ['one that would fit later', 'Limit 7000, Used 6999, Requested 2'],
    ['a limit of 1, which is a placeholder', 'Limit 1, Requested 12903'],
    ['a text without the two numbers', 'You requested 12903 tokens'],
    ['words instead of numbers', 'Limit many, Requested more'],
  ])('is false for %s', (_what, text) => {
    expect(isAboveLimit(normalise(text))).toBe(false);
  });
});

describe('limitOf', () => {
  test.each([
    'Requests per day exceeded',
    'Rate limit reached on tokens per day (TPD)',
    'You hit your weekly limit',
    'The monthly spending quota of the key is used up',
    'limit: 40 / day',
    'Limit 0, Used 0',
    'quotaValue: 0',
  ])('a limit of a day or longer, or of nothing, is a quota: %s', (text) => {
    expect(limitOf(429, normalise(text))).toBe('quota_exhausted');
  });

  test.each([
    ['one per minute beside one per day', 'Requests per minute, of the plan with 100 requests per day, exceeded'],
    ['one whose window rolls', 'Limit of tokens per day reached. Please try again in 51.597s'],
    ['what remains', 'Remaining limit: 0'],
    ['a fraction', 'Limit 0.5'],
    ['a word that only ends like one', 'Moved to a faraday cage'],
  ])('is no quota: %s', (_what, text) => {
    expect(limitOf(429, normalise(text))).toBeUndefined();
  });

  test.each([
    'Limit reached, resets 8pm (America/New_York)',
    'Limit reached, reset at 10:00 UTC',
    'Limit reached, resets at 9:05:10 (GMT)',
    'Limit reached, resets Sep 30, 4pm',
    'Limit reached, resets on Dec. 1, at 00:00 UTC',
    'Limit reached, resets Dec 1 at 7am',
  ])('a limit that renews at a time of the clock is a quota if that is not soon: %s', (text) => {
    expect(limitOf(429, normalise(text), LONG)).toBe('quota_exhausted');
    expect(limitOf(429, normalise(text), LONGEST_WAIT_MS)).toBeUndefined();
  });

  test('a long wait alone is no quota', () => {
    expect(limitOf(429, normalise('Limit reached, resets soon'), LONG)).toBeUndefined();
    expect(limitOf(429, normalise('Limit reached, resets in 2 hours'), LONG)).toBeUndefined();
  });

  test('counts with the statuses of limits, and without one', () => {
    const text = normalise('Requests per day exceeded');
    const statuses = [0, 400, 401, 403, 404, 429, 500, 502, 503, 504];
    expect(statuses.filter((status) => limitOf(status, text) !== undefined)).toEqual([0, 403, 429, 500, 502, 503]);
  });
});

describe('a limit per minute or second', () => {
  test.each(['per minute', '5 req/min', '/second', 'TPM', 'rpm', 'explore dedicated capacity'])(
    'is told by %s',
    (text) => {
      expect(isShortWindow(normalise(text))).toBe(true);
    },
  );

  test.each(['per day', 'per mission', 'per security policy', 'a minute ago'])('is not told by %s', (text) => {
    expect(isShortWindow(normalise(text))).toBe(false);
  });
});

test('a limit of 0 is no beginning of another number', () => {
  expect(['limit0', 'limit:0', 'quotavalue:0', 'limit:0,'].filter((text) => !NEVER.test(text))).toEqual([]);
  expect(['limit:0.5', 'limit:07', 'limit5', 'remaininglimit:0'].filter((text) => NEVER.test(text))).toEqual([]);
});

describe('a refusal that names a quota', () => {
  const read = (status: number, code: string, message = '', named?: 'billing_error') =>
    readByRule(readEvidence(status, { error: { code, message } }, '', null), 0, named)?.type;

  test.each(['daily_quota_exceeded', 'QuotaExhausted', 'usage_limit_reached', 'SpendLimitExceeded'])(
    'is about that quota: %s',
    (code) => {
      expect(read(400, code)).toBe('quota_exhausted');
      expect(read(403, code)).toBe('quota_exhausted');
      expect(read(200, code)).toBe('quota_exhausted');
    },
  );

  test('is a rate limit if the quota renews within a minute', () => {
    expect(read(403, 'quota_exceeded', 'Requests per minute')).toBe('rate_limit');
  });

  test('is not read if the status is no refusal, if the name goes on, or if a name was decisive', () => {
    expect(read(429, 'quota_exceeded')).toBeUndefined();
    expect(read(404, 'quota_exceeded')).toBeUndefined();
    expect(read(400, 'quota_exceeded_soon')).toBeUndefined();
    expect(read(400, 'time_limit_exceeded')).toBeUndefined();
    expect(read(400, 'quota_exceeded', '', 'billing_error')).toBeUndefined();
  });
});
