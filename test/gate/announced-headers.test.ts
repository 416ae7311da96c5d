import { describe, expect, test } from 'vitest';
import { readAnnounced } from '../../src/gate/announced-headers.ts';

const NOW_MS = Date.parse('2026-11-22T07:00:00Z');

describe('the limits that servers announce', () => {
  /** The headers of a limit: `*` in their names is limit, remaining and reset. */
  const of = (name: string, limit: string, remaining: string, reset?: string): Record<string, string> => ({
    [name.replace('*', 'limit')]: limit,
    [name.replace('*', 'remaining')]: remaining,
    ...(reset !== undefined && { [name.replace('*', 'reset')]: reset }),
  });
  const draft11 = (ratelimit: string, policy: string): Record<string, string> => ({
    ratelimit,
    'ratelimit-policy': policy,
  });
  const is = (unit: string, remaining: number, limit: number | null, resetMs: unknown): object => ({
    unit,
    remaining,
    limit,
    resetMs,
  });

  const DAY = { date: 'Sun, 22 Nov 2026 06:00:45 GMT' };
  const cerebras = { tokens: '11.382867097854614', requests: '33011.382867097855' };
  test.each<[string, Record<string, string>, object]>([
    ['OpenAI and Groq', of('x-ratelimit-*-requests', '60', '59', '1s'), is('requests', 59, 60, 1_000)],
    ['OpenAI’s tokens', of('x-ratelimit-*-tokens', '1500', '1499', '6m0s'), is('tokens', 1_499, 1_500, 360_000)],
    [
      'Anthropic, by the clock of the server',
      { ...DAY, ...of('anthropic-ratelimit-input-tokens-*', '40000', '0', '2026-11-22T06:01:15Z') },
      is('tokens', 0, 40_000, 30_000),
    ],
    ['RateLimit of draft 7', { ratelimit: 'limit=10, remaining=3, reset=5' }, is('requests', 3, 10, 5_000)],
    ['a named limit of @nestjs/throttler', of('x-ratelimit-*-short', '3', '2', '1'), is('requests', 2, 3, 1_000)],
    [
      'Kong, by the clock of the server',
      { ...DAY, ...of('x-ratelimit-*-minute', '100', '7') },
      is('requests', 7, 100, 15_000),
    ],
    ['Mistral’s tokens of a minute', of('x-ratelimit-*-tokens-minute', '500', '499'), is('tokens', 499, 500, 60_000)],
    ['Mistral’s requests of a minute', of('x-ratelimit-*-req-minute', '60', '0'), is('requests', 0, 60, 60_000)],
    [
      'Cerebras, whose reset is no window of the clock',
      of('x-ratelimit-*-tokens-minute', '60', '59', cerebras.tokens),
      is('tokens', 59, 60, expect.closeTo(11_383, -1)),
    ],
    [
      'Cerebras’ requests of a day',
      of('x-ratelimit-*-requests-day', '144', '143', cerebras.requests),
      is('requests', 143, 144, expect.closeTo(33_011_383, -1)),
    ],
    ['RateLimit of draft 11', draft11('"minute";r=3;t=5', '"minute";q=100;w=60'), is('requests', 3, 100, 5_000)],
    [
      'Anthropic’s requests',
      of('anthropic-ratelimit-requests-*', '50', '49', '2026-11-22T07:00:02Z'),
      is('requests', 49, 50, 2_000),
    ],
    ['Anthropic’s output', of('anthropic-ratelimit-output-tokens-*', '800', '800'), is('tokens', 800, 800, null)],
    ['Anthropic’s tokens', { 'anthropic-ratelimit-tokens-remaining': '5' }, is('tokens', 5, null, null)],
    ['GitHub and many others', of('x-ratelimit-*', '5000', '4987', '60'), is('requests', 4_987, 5_000, 60_000)],
    ['RateLimit of earlier drafts', of('ratelimit-*', '10', '0', '12'), is('requests', 0, 10, 12_000)],
    [
      'RateLimit of draft 11, for tokens by the name of the policy',
      draft11('"tokens";r=30;t=5', '"tokens";q=1000;w=60'),
      { name: '"tokens"', ...is('tokens', 30, 1_000, 5_000) },
    ],
    [
      'RateLimit of draft 11, for tokens by the unit of the policy',
      draft11('hourly; r=30; t=5', 'hourly; q=1000; qu="tokens"'),
      { name: 'hourly', ...is('tokens', 30, 1_000, 5_000) },
    ],
    [
      'the second of two policies of RateLimit',
      draft11('"second";r=9;t=1, "day";r=70;t=600', '"second";q=10;w=1, "day";q=100;w=86400'),
      { name: '"day"', ...is('requests', 70, 100, 600_000) },
    ],
    ['RateLimit alone', { ratelimit: '"default";r=3' }, { name: '"default"', ...is('requests', 3, null, null) }],
    [
      'Azure, below zero',
      { 'x-ratelimit-remaining-tokens': '-12', 'x-ratelimit-reset-tokens': '7' },
      is('tokens', 0, null, 7_000),
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
