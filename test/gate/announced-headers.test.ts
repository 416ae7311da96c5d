import { describe, expect, test } from 'vitest';
import { readAnnounced } from '../../src/gate/announced-headers.ts';

const NOW_MS = Date.parse('2026-11-22T07:00:00Z');

describe('the limits that servers announce', () => {
  test.each([
    [
      'OpenAI and Groq',
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '1s',
      },
      { unit: 'requests', remaining: 59, limit: 60, resetMs: 1_000 },
    ],
    [
      'OpenAI’s tokens',
      {
        'x-ratelimit-limit-tokens': '150000',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      { unit: 'tokens', remaining: 149_984, limit: 150_000, resetMs: 360_000 },
    ],
    [
      'Anthropic, by the clock of the server',
      {
        date: 'Sun, 22 Nov 2026 06:00:00 GMT',
        'anthropic-ratelimit-input-tokens-limit': '40000',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-22T06:00:30Z',
      },
      { unit: 'tokens', remaining: 0, limit: 40_000, resetMs: 30_000 },
    ],
    [
      'RateLimit of draft 7',
      { ratelimit: 'limit=10, remaining=3, reset=5' },
      { unit: 'requests', remaining: 3, limit: 10, resetMs: 5_000 },
    ],
    [
      'a named limit of @nestjs/throttler',
      { 'x-ratelimit-limit-short': '3', 'x-ratelimit-remaining-short': '2', 'x-ratelimit-reset-short': '1' },
      { unit: 'requests', remaining: 2, limit: 3, resetMs: 1_000 },
    ],
    [
      'Kong, by the clock of the server',
      { date: 'Sun, 22 Nov 2026 06:00:45 GMT', 'x-ratelimit-limit-minute': '100', 'x-ratelimit-remaining-minute': '7' },
      { unit: 'requests', remaining: 7, limit: 100, resetMs: 15_000 },
    ],
    [
      'Mistral’s tokens of a minute',
      { 'x-ratelimit-limit-tokens-minute': '500000', 'x-ratelimit-remaining-tokens-minute': '499950' },
      { unit: 'tokens', remaining: 499_950, limit: 500_000, resetMs: 60_000 },
    ],
    [
      'Mistral’s requests of a minute',
      { 'x-ratelimit-limit-req-minute': '60', 'x-ratelimit-remaining-req-minute': '0' },
      { unit: 'requests', remaining: 0, limit: 60, resetMs: 60_000 },
    ],
    [
      'Cerebras, whose reset is no window of the clock',
      {
        'x-ratelimit-limit-tokens-minute': '60000',
        'x-ratelimit-remaining-tokens-minute': '59000',
        'x-ratelimit-reset-tokens-minute': '11.382867097854614',
      },
      { unit: 'tokens', remaining: 59_000, limit: 60_000, resetMs: expect.closeTo(11_383, -1) },
    ],
    [
      'Cerebras’ requests of a day',
      {
        'x-ratelimit-limit-requests-day': '14400',
        'x-ratelimit-remaining-requests-day': '14399',
        'x-ratelimit-reset-requests-day': '33011.382867097855',
      },
      { unit: 'requests', remaining: 14_399, limit: 14_400, resetMs: expect.closeTo(33_011_383, -1) },
    ],
    [
      'RateLimit of draft 11',
      { ratelimit: '"minute";r=3;t=5', 'ratelimit-policy': '"minute";q=100;w=60' },
      { unit: 'requests', remaining: 3, limit: 100, resetMs: 5_000 },
    ],
    [
      'Anthropic’s requests',
      {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2026-11-22T07:00:02Z',
      },
      { unit: 'requests', remaining: 49, limit: 50, resetMs: 2_000 },
    ],
    [
      'Anthropic’s output tokens',
      { 'anthropic-ratelimit-output-tokens-remaining': '8000', 'anthropic-ratelimit-output-tokens-limit': '8000' },
      { unit: 'tokens', remaining: 8_000, limit: 8_000, resetMs: null },
    ],
    [
      'Anthropic’s tokens',
      { 'anthropic-ratelimit-tokens-remaining': '5' },
      { unit: 'tokens', remaining: 5, limit: null, resetMs: null },
    ],
    [
      'the names that GitHub and many others use',
      { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4987', 'x-ratelimit-reset': '60' },
      { unit: 'requests', remaining: 4_987, limit: 5_000, resetMs: 60_000 },
    ],
    [
      'RateLimit of earlier drafts',
      { 'ratelimit-limit': '10', 'ratelimit-remaining': '0', 'ratelimit-reset': '12' },
      { unit: 'requests', remaining: 0, limit: 10, resetMs: 12_000 },
    ],
    [
      'RateLimit of draft 11, for tokens by the name of the policy',
      { ratelimit: '"tokens";r=30;t=5', 'ratelimit-policy': '"tokens";q=1000;w=60' },
      { name: '"tokens"', unit: 'tokens', remaining: 30, limit: 1_000, resetMs: 5_000 },
    ],
    [
      'RateLimit of draft 11, for tokens by the unit of the policy',
      { ratelimit: 'hourly; r=30; t=5', 'ratelimit-policy': 'hourly; q=1000; qu="tokens"' },
      { name: 'hourly', unit: 'tokens', remaining: 30, limit: 1_000, resetMs: 5_000 },
    ],
    [
      'the second of two policies of RateLimit',
      { ratelimit: '"second";r=9;t=1, "day";r=70;t=600', 'ratelimit-policy': '"second";q=10;w=1, "day";q=100;w=86400' },
      { name: '"day"', unit: 'requests', remaining: 70, limit: 100, resetMs: 600_000 },
    ],
    [
      'RateLimit without a policy or a reset',
      { ratelimit: '"default";r=3' },
      { name: '"default"', unit: 'requests', remaining: 3, limit: null, resetMs: null },
    ],
    [
      'Azure, below zero',
      { 'x-ratelimit-remaining-tokens': '-12', 'x-ratelimit-reset-tokens': '7' },
      { unit: 'tokens', remaining: 0, limit: null, resetMs: 7_000 },
    ],
  ])('are read from the headers of %s', (_, headers, expected) => {
    expect(readAnnounced(headers, NOW_MS)).toContainEqual(expect.objectContaining(expected));
  });

  test('a reset that is a date counts from now, not from the date of a cached response', () => {
    const headers = {
      date: new Date(NOW_MS - 600_000).toUTCString(),
      age: '600',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': new Date(NOW_MS + 5_000).toISOString(),
    };
    expect(readAnnounced(headers, NOW_MS)).toMatchObject([{ remaining: 0, resetMs: 5_000 }]);
  });

  test('limits of requests and of tokens in one response are two reports', () => {
    const headers = {
      'x-ratelimit-remaining-requests': '1',
      'x-ratelimit-remaining-tokens': '2',
      ratelimit: '"a";r=3',
    };
    const reports = readAnnounced(headers, NOW_MS);
    expect(reports.map(({ name, remaining }) => [name, remaining])).toEqual([
      ['x-ratelimit-*-requests', 1],
      ['x-ratelimit-*-tokens', 2],
      ['"a"', 3],
    ]);
  });

  test.each([
    ['in seconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW_MS / 1_000 - 1) }],
    ['in milliseconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW_MS - 1) }],
    [
      'as a date',
      {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': new Date(NOW_MS - 1).toISOString(),
      },
    ],
  ])('what remains until a moment that has passed is no news: %s', (_, headers) => {
    expect(readAnnounced(headers, NOW_MS)).toEqual([]);
  });

  test.each([
    ['none', { 'content-type': 'text/plain' }],
    ['no number', { 'x-ratelimit-remaining-requests': 'many' }],
    ['a number with a unit', { 'x-ratelimit-remaining-requests': '5 left' }],
    ['more digits than any limit has', { 'x-ratelimit-remaining-requests': '1234567890123456' }],
    ['a limit of 0', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-limit-requests': '0' }],
    ['a quota of 0', { ratelimit: '"minute";r=0;t=5', 'ratelimit-policy': '"minute";q=0;w=60' }],
    ['a policy alone', { 'ratelimit-policy': '"minute";q=100;w=60' }],
    ['a RateLimit without a remainder', { ratelimit: '"minute";t=5' }],
    ['a RateLimit whose remainder is no number', { ratelimit: '"minute";r=few;t=5' }],
  ])('headers without limits have no effect: %s', (_, headers) => {
    expect(readAnnounced(headers, NOW_MS)).toEqual([]);
  });
});
