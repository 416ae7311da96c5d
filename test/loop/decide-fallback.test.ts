import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { RetryConfig } from '../../src/options/config.ts';
import type { Situation } from '../../src/loop/decide.ts';
import type { Failure } from '../../src/failure/failure.ts';

import { decided as decidedUnder, decideUnder, hinted, type ToldDecision } from './decisions.ts';

/** What is decided where another target is free at once and this one may have one retry, unless it is said otherwise. */
const decided = (
  overrides: Partial<Situation> = {},
  failure: Partial<Failure> = {},
  config: RetryConfig = {},
): ToldDecision =>
  decidedUnder(
    { jitter: 'none', ...config },
    { fallback: { restMs: 0, afterRetries: 1, isUsed: false }, ...overrides },
    failure,
  );

const FALLBACK: ToldDecision = { retry: true, delayMs: 0, because: 'fallback' };
const OWN_WAIT: ToldDecision = { retry: true, delayMs: 1_000, because: 'backoff' };
const stopped = (because: string): unknown => ({ retry: false, because });
const permanent: Partial<Failure> = { type: 'context_too_long', retryable: false };

describe('another target', () => {
  test.each([
    [1, 0, FALLBACK],
    [1, 1, OWN_WAIT],
    [2, 1, FALLBACK],
    [2, 2, { ...OWN_WAIT, delayMs: 2_000 }],
    [3, 2, FALLBACK],
  ])('after attempt %i takes over only after %i retries on the current one', (attempts, afterRetries, expected) => {
    expect(decided({ attempts, fallback: { restMs: 0, afterRetries, isUsed: false } })).toEqual(expected);
  });

  test('takes over at once if this one cannot help, even if retries are left', () => {
    expect(decided({ fallback: { restMs: 0, afterRetries: 9, isUsed: false } }, permanent)).toEqual(FALLBACK);
  });

  test.each(['disabled', 'body-not-replayable', 'irreversible-operation'] as const)(
    'that would help is not why a call ends: %s',
    (obstacle) => {
      expect(decided({ obstacle }, permanent)).toEqual(stopped(obstacle));
      expect(decided({ obstacle, attempts: 9 })).toEqual(stopped(obstacle));
      expect(decided({ obstacle, fallback: null }, permanent)).toEqual(stopped('not-retryable'));
    },
  );

  test('does not take over if there is none', () => {
    expect(decided({ fallback: null })).toEqual(OWN_WAIT);
    expect(decided({ fallback: null }, permanent)).toEqual(stopped('not-retryable'));
  });

  test.each([
    ['its retries are used up', { attempts: 1, maxRetries: 0 }, {}, {}],
    ['its hint is longer than is accepted', {}, { retryAfterMs: 60_001 }, {}],
    ['its wait would exceed the waiting that is allowed', {}, {}, { maxTotalDelayMs: 999 }],
    ['its wait would end after the deadline', {}, {}, { maxElapsedMs: 999 }],
  ])('takes over before the retries of this one are used up if %s', (_title, overrides, failure, config) => {
    expect(decided(overrides, failure, config)).toEqual(FALLBACK);
  });

  test('does not take over a refused request while this one is still to be tried', () => {
    expect(decided({ ruledOut: 'server-said-no' })).toEqual(stopped('server-said-no'));
    expect(decided({ ruledOut: 'server-said-no', attempts: 2 })).toEqual(FALLBACK);
  });

  test.each([
    [60_000, {}, { retry: true, delayMs: 60_000, because: 'cooldown' }],
    [60_001, {}, stopped('retry-after-too-long')],
    [7_000, { maxRetryAfterMs: 6_999 }, stopped('retry-after-too-long')],
    [7_000, { maxTotalDelayMs: 6_999 }, stopped('sleep-budget-exhausted')],
    [7_000, { maxElapsedMs: 6_999 }, stopped('deadline')],
  ])('that is held for %i ms is waited for within the limits %j', (restMs, config, expected) => {
    expect(decided({ attempts: 2, fallback: { restMs, afterRetries: 1, isUsed: false } }, {}, config)).toEqual(
      expected,
    );
  });

  test('that is free takes over without a wait, after any failure', () => {
    const holds = fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(1e6), (attempts, retryAfterMs) => {
      const fallback = { restMs: 0, afterRetries: 0, isUsed: false };
      expect(decided({ attempts, fallback }, { retryAfterMs })).toEqual(FALLBACK);
    });
    fc.assert(holds);
  });
});

describe('a wait', () => {
  const chain = (restMs: number): Partial<Situation> => ({
    attempts: 2,
    fallback: { restMs, afterRetries: 1, isUsed: false },
  });

  test.each<[string, Partial<Situation>, Partial<Failure>, boolean, string]>([
    ['a backoff moves nowhere and lets no target rest', {}, {}, false, 'nothing'],
    ['a hint lets the target rest that gave it', {}, hinted(5_000), false, 'this target'],
    ['a free target is moved to, and none rests', chain(0), {}, true, 'nothing'],
    ['if the next target rests, all of them do', chain(7_000), {}, false, 'all targets'],
  ])('says what it means for the targets: %s', (_what, state, failure, moves, rests) => {
    expect(decideUnder({}, state, failure)).toMatchObject({ retry: true, moves, rests });
  });
});
