import { fc } from '@fast-check/vitest';
import { describe, expect, test, vi } from 'vitest';

import { decide } from '../../src/loop/decide.ts';

import { resolveConfig } from '../../src/options/policy.ts';
import { decided, hinted, situation, type ToldDecision, waitOf } from './decisions.ts';

describe('hints', () => {
  test.each([
    [0, 3, { delayMs: 4_000, because: 'backoff' }],
    [28, 2, { delayMs: 2_000, because: 'backoff' }],
    [2_000, 2, { delayMs: 2_000, because: 'hint' }],
    [7_000, 2, { delayMs: 7_000, because: 'hint' }],
  ])('of %i ms after an earlier one, after attempt %i, are the shortest wait', (hintMs, attempts, expected) => {
    const config = { maxRetries: 20, jitter: 'none' } as const;
    expect(decided(config, { attempts, wasHinted: true }, hinted(hintMs))).toEqual({ retry: true, ...expected });
    expect(decided(config, { attempts }, hinted(hintMs))).toEqual({ retry: true, delayMs: hintMs, because: 'hint' });
  });

  test('that are clamped are waited for as they are, without spread, at every failure', () => {
    const later = { attempts: 3, wasHinted: true };
    const clamp = { retryAfter: 'clamp', maxDelayMs: 5_000, jitterFactor: 1 } as const;
    expect(decided(clamp, later, hinted(28))).toMatchObject({ delayMs: 28, because: 'hint' });
    expect(decided(clamp, later, hinted(90_000))).toMatchObject({ delayMs: 5_000, because: 'hint' });
  });

  test('are clamped to maxRetryAfterMs where it is set', () => {
    const clamp = { retryAfter: 'clamp', maxDelayMs: 5_000, maxRetryAfterMs: 300_000 } as const;
    expect(decided(clamp, {}, hinted(90_000))).toMatchObject({ delayMs: 90_000 });
    expect(decided(clamp, {}, hinted(900_000))).toMatchObject({ delayMs: 300_000 });
  });

  test('without spread draw no random number, not even for the backoff behind them', () => {
    const policy = resolveConfig('createRetryFetch', { backoff: [5], jitter: 'none' });
    const random = vi.fn<() => number>(() => 0.5);
    expect(decide(situation({}, hinted(7_000)), policy, random)).toMatchObject({ delayMs: 7_000 });
    expect(random).not.toHaveBeenCalled();
  });

  test.each([
    ['at the ceiling, inclusive', {}, 60_000, { retry: true, delayMs: 60_000, because: 'hint' }],
    ['above the ceiling', {}, 60_001, { retry: false, because: 'retry-after-too-long' }],
    [
      'above maxDelayMs, which is the ceiling by default',
      { maxDelayMs: 100 },
      101,
      { retry: false, because: 'retry-after-too-long' },
    ],
    [
      'compared before a function changes it',
      { maxRetryAfterMs: 10_000, maxDelayMs: 60_000, retryAfter: (hintMs: number) => hintMs + 1_000 },
      10_000,
      { retry: true, delayMs: 11_000, because: 'hint' },
    ],
    [
      'waited as a function changes it, without a cap and without spread',
      { retryAfter: (hintMs: number) => hintMs * 1.5 },
      50_000,
      { retry: true, delayMs: 75_000, because: 'hint' },
    ],
  ])('have a ceiling: one %s', (_title, config, hintMs, expected) => {
    expect(decided(config, {}, hinted(hintMs))).toEqual(expected);
  });

  test.each([
    ['none', 0.5, 10_000],
    ['symmetric', 0.2, 12_000],
    ['full', 0.2, 12_000],
    ['down', 0.2, 12_000],
    ['symmetric', 0.1, 11_000],
    ['symmetric', 0.5, 12_000],
    ['symmetric', 0, 10_000],
  ] as const)('with jitter %s and factor %d are spread upwards to at most %i ms', (jitter, jitterFactor, longestMs) => {
    const at = (random: number): ToldDecision => decided({ jitter, jitterFactor }, {}, hinted(10_000), () => random);
    expect(at(0)).toMatchObject({ delayMs: 10_000 });
    expect(at(1)).toMatchObject({ delayMs: longestMs });
  });

  test.each([90_000, 3_600_000])('of %i ms are spread by at most two seconds', (hintMs) => {
    const config = { maxRetryAfterMs: Number.POSITIVE_INFINITY };
    expect(decided(config, {}, hinted(hintMs), () => 1)).toMatchObject({ delayMs: hintMs + 2_000 });
  });

  const hint = fc.integer({ min: 0, max: 200_000 });
  const longest = fc.integer({ min: 0, max: 100_000 });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test('within the limit are never shortened and never stretched beyond the longest allowed wait', () => {
    const holds = fc.property(
      hint,
      longest,
      longest,
      share,
      chance,
      (hintMs, more, maxDelayMs, jitterFactor, drawn) => {
        const maxRetryAfterMs = hintMs + more;
        const config = { maxDelayMs, maxRetryAfterMs, jitterFactor };
        const delayMs = waitOf(decided(config, {}, hinted(hintMs), () => drawn));
        expect(delayMs).toBeGreaterThanOrEqual(hintMs);
        expect(delayMs).toBeLessThanOrEqual(Math.max(maxDelayMs, maxRetryAfterMs));
        expect(delayMs).toBeLessThanOrEqual(hintMs * (1 + jitterFactor) + 1e-6);
      },
    );
    fc.assert(holds);
  });

  test('above the limit always stop the call', () => {
    const holds = fc.property(hint, longest, longest, share, (maxRetryAfterMs, more, maxDelayMs, jitterFactor) => {
      const config = { maxDelayMs, maxRetryAfterMs, jitterFactor, retryAfter: (hintMs: number) => hintMs * 1.1 };
      expect(decided(config, {}, hinted(maxRetryAfterMs + 1 + more))).toEqual({
        retry: false,
        because: 'retry-after-too-long',
      });
    });
    fc.assert(holds);
  });
});
