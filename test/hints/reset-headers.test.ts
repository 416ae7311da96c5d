import { describe, expect, it } from 'vitest';
import { readHeaders } from '../../src/hints/header-reader.ts';
import { isQuotaUsedUp, resetHint as hintOf } from '../../src/hints/reset-headers.ts';
import type { HeadersLike } from '../../src/transport.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

type Row = readonly [bucket: string, headers: Record<string, string>, ms: number];

const resetHint = (headers: HeadersLike | undefined, nowMs: number, status?: number): number | null =>
  hintOf(readHeaders(headers), nowMs, status);

describe('resetHint', () => {
  it.each<Row>([
    ['OpenAI', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
    ['Azure', { 'x-ratelimit-remaining-tokens': '-27689', 'x-ratelimit-reset-tokens': '64' }, 64_000],
    ['Azure at zero', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '0' }, 0],
    [
      'Anthropic',
      {
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-20T12:01:03Z',
      },
      63_000,
    ],
    ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((kind): Row => [
      `Anthropic, ${kind}`,
      { [`anthropic-ratelimit-${kind}-remaining`]: '0', [`anthropic-ratelimit-${kind}-reset`]: '2026-11-20T12:00:09Z' },
      9_000,
    ]),
    ...['requests', 'project-tokens', 'requests-day', 'tokens-minute'].map((kind): Row => [
      kind,
      { [`x-ratelimit-remaining-${kind}`]: '0', [`x-ratelimit-reset-${kind}`]: '9s' },
      9_000,
    ]),
    ['OpenRouter', { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW + 45_000) }, 45_000],
    ['GitHub', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 + 45) }, 45_000],
    ['Together', { 'x-ratelimit-remaining': '0.0', 'x-ratelimit-reset': '1.5' }, 1_500],
    ['a difference', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '2.5' }, 2_500],
    ['a difference in milliseconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-ms': '250' }, 250],
    ['the older IETF drafts', { 'ratelimit-remaining': '0', 'ratelimit-reset': '7' }, 7_000],
    ['IETF draft 07', { ratelimit: 'limit=10, remaining=0, reset=7' }, 7_000],
    ['nothing, at whatever length', { 'ratelimit-remaining': '00', 'ratelimit-reset': '7' }, 7_000],
    ['nothing, to two places', { 'ratelimit-remaining': '0.00', 'ratelimit-reset': '7' }, 7_000],
    ['the newer IETF drafts', { ratelimit: '"minute";r=0;t=40' }, 40_000],
    ['the newer IETF drafts, the time first', { ratelimit: '"minute";t=40;r=0' }, 40_000],
    ['both orders', { ratelimit: '"day";t=90;r=5, "minute";t=7;pk=:YQ==:;r=0, "hour";r=3;t=60' }, 7_000],
    ['IETF draft 07, the time first', { ratelimit: 'reset=7, limit=10, remaining=0' }, 7_000],
    ['a token for a name', { ratelimit: 'default;r=0;t=7' }, 7_000],
    ['several policies', { ratelimit: '"a;b, c";r=5;t=90, "day"; r=0; t=7' }, 7_000],
  ])('reads an exhausted bucket of %s', (_provider, headers, ms) => {
    expect(resetHint(headers, NOW, 429)).toBe(ms);
    expect(resetHint(headers, NOW, 400)).toBe(ms);
    expect(resetHint(headers, NOW)).toBe(ms);
  });

  it('reads the reset of Kong, which has its own names', () => {
    const headers = { 'x-ai-ratelimit-reset': '29', 'x-ai-ratelimit-remaining-minute-openai': '0' };
    expect(resetHint(headers, NOW, 429)).toBe(29_000);
    expect(resetHint(headers, NOW, 400)).toBeNull();
  });

  describe('for a subscription at Anthropic', () => {
    const quota = (status?: string): Record<string, string> => ({
      'anthropic-ratelimit-unified-reset': String(NOW / 1_000 + 9_000),
      ...(status !== undefined && { 'anthropic-ratelimit-unified-status': status }),
    });

    it('reads the moment at which the quota renews', () => {
      expect(resetHint(quota('rejected'), NOW, 429)).toBe(9_000_000);
      expect(resetHint(quota(), NOW, 429)).toBe(9_000_000);
      expect(resetHint(quota('allowed_warning'), NOW, 429)).toBeNull();
      expect(resetHint({ ...quota('rejected'), 'anthropic-ratelimit-unified-reset': '90' }, NOW, 429)).toBeNull();
    });

    it('does not take it for the end of another limit', () => {
      const headers = {
        ...quota('allowed'),
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-11-20T12:00:09Z',
      };
      expect(resetHint(headers, NOW, 429)).toBe(9_000);
    });

    it('says whether the quota is used up', () => {
      const isUsedUp = (headers: Record<string, string>): boolean => isQuotaUsedUp(readHeaders(headers));
      expect([quota('rejected'), quota(), quota('allowed'), quota('allowed_warning'), {}].map(isUsedUp)).toEqual([
        true,
        true,
        false,
        false,
        false,
      ]);
    });
  });

  it('uses the longest of several exhausted buckets', () => {
    const headers = {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '8.64s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '6m0s',
      ratelimit: '"a";r=0;t=7',
    };
    expect(resetHint(headers, NOW, 429)).toBe(360_000);
  });

  it.each([
    ['that has something left', { 'x-ratelimit-remaining-tokens': '1', 'x-ratelimit-reset-tokens': '6m0s' }],
    ['that has something left, in a structured field', { ratelimit: '"dynamic";r=15;t=40' }],
    ['that has ten left', { 'x-ratelimit-remaining': '10', 'x-ratelimit-reset': '5' }],
    ['that has half a token left', { 'x-ratelimit-remaining': '0.5', 'x-ratelimit-reset': '5' }],
    ['that has one left, in a structured field with a leading zero', { ratelimit: '"minute";r=01;t=40' }],
    ['that does not say what is left in numbers', { 'x-ratelimit-remaining': 'none', 'x-ratelimit-reset': '5' }],
    [
      'of another kind than the exhausted one',
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-requests': '5s' },
    ],
    ['whose reset is negative', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '-1' }],
    ['whose reset is over', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 - 1) }],
    ['whose reset is missing', { 'x-ratelimit-remaining': '0' }],
    ['whose reset is missing in a structured field', { ratelimit: '"minute";r=0' }],
  ])('ignores a bucket %s', (_case, headers) => {
    expect(resetHint(headers, NOW, 429)).toBeNull();
  });

  it('uses the longest reset without a remaining count only on 429, 503 and an unknown status', () => {
    const headers = { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '2s' };
    expect([429, 503, undefined].map((status) => resetHint(headers, NOW, status))).toEqual([2_000, 2_000, 2_000]);
    expect([200, 400, 500].map((status) => resetHint(headers, NOW, status))).toEqual([null, null, null]);
  });

  it('finds no hint without headers', () => {
    expect(resetHint(undefined, NOW, 429)).toBeNull();
  });
});
