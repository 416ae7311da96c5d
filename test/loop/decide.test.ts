import { describe, expect, test } from 'vitest';
import type { RetryConfig } from '../../src/options/config.ts';
import type { Failure } from '../../src/failure/failure.ts';
import { Counter } from '../../src/loop/counter.ts';
import { checkMoment, reachableRetries, type Situation } from '../../src/loop/decide.ts';
import { resolveConfig } from '../../src/options/policy.ts';
import { decided, hinted, situation } from './decisions.ts';

describe('the backoff', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
  ])('after attempt %i is the default wait of %i ms', (attempts, delayMs) => {
    expect(decided({}, { attempts })).toEqual({ retry: true, delayMs, because: 'backoff' });
  });

  test('stops after three retries by default', () => {
    expect(decided({}, { attempts: 4 })).toEqual({ retry: false, because: 'retries-exhausted' });
  });

  test('stops when the schedule stops', () => {
    const backoff = (retry: number): number | undefined => (retry < 2 ? 10 : undefined);
    expect(decided({ backoff, maxRetries: Infinity }, { attempts: 2 })).toMatchObject({ delayMs: 10 });
    expect(decided({ backoff, maxRetries: Infinity }, { attempts: 3 })).toEqual({
      retry: false,
      because: 'retries-exhausted',
    });
  });

  test('stops at the end of the schedule even if there is a hint', () => {
    const backoff = (retry: number): number | undefined => (retry < 1 ? 10 : undefined);
    expect(decided({ backoff, maxRetries: Infinity }, { attempts: 2 }, hinted(5))).toEqual({
      retry: false,
      because: 'retries-exhausted',
    });
  });
});

describe('limits on waiting', () => {
  test.each([
    ['exactly spent', 4_000, 3_000, { retry: true }],
    ['overspent by one', 4_000, 3_001, { retry: false, because: 'sleep-budget-exhausted' }],
  ])('the total is inclusive: %s', (_title, maxTotalDelayMs, totalDelayMs, expected) => {
    expect(decided({ maxTotalDelayMs }, { totalDelayMs })).toMatchObject(expected);
  });

  test.each([
    ['ends exactly at it', 4_000, { retry: true }],
    ['would end one after it', 4_001, { retry: false, because: 'deadline' }],
  ])('a wait that %s: the deadline is inclusive', (_title, elapsedMs, expected) => {
    expect(decided({ maxElapsedMs: 5_000 }, { elapsedMs })).toMatchObject(expected);
  });
});

describe('while a target rests', () => {
  const limits = { maxRetryAfterMs: 5_000, maxTotalDelayMs: 8_000, maxElapsedMs: 20_000 };
  test.each([
    ['waits as long as it may', 5_000, 3_000, 15_000, null],
    ['waits no longer than it would for a hint', 5_001, 0, 0, 'retry-after-too-long'],
    ['waits no longer than its waits may be in all', 5_000, 3_001, 0, 'sleep-budget-exhausted'],
    ['does not wait past its deadline', 5_000, 0, 15_001, 'deadline'],
  ])('a call %s', (_title, restMs, totalDelayMs, elapsedMs, expected) => {
    const moment = { delayMs: restMs, holdMs: restMs, elapsedMs: elapsedMs + restMs };
    expect(checkMoment(moment, totalDelayMs, limits)).toBe(expected);
  });
});

describe('the precedence of stop reasons', () => {
  const everything: Partial<Situation> = { ruledOut: 'server-said-no', obstacle: 'disabled', attempts: 9 };

  test.each([
    ['the word of the server', everything, {}, 'server-said-no'],
    ['a failure that waiting does not help', { ...everything, ruledOut: null }, { retryable: false }, 'not-retryable'],
    ['a body that is gone', { obstacle: 'body-not-replayable', attempts: 9 }, {}, 'body-not-replayable'],
    ['a switch', { obstacle: 'disabled', attempts: 9 }, {}, 'disabled'],
    ['an operation not to be repeated', { obstacle: 'irreversible-operation' }, {}, 'irreversible-operation'],
    ['the count, before a hint', { attempts: 9 }, hinted(1e9), 'retries-exhausted'],
    ['a hint too long, before the budget', { totalDelayMs: 1e12 }, hinted(1e9), 'retry-after-too-long'],
  ] as const)('is settled: first %s', (_title, overrides, failure, because) => {
    expect(decided({ maxTotalDelayMs: 1 }, overrides, failure)).toEqual({ retry: false, because });
  });
});

describe('strategies', () => {
  const strategies = {
    rate_limit: { maxRetries: 2, baseDelayMs: 100, maxDelayMs: 150, backoffMultiplier: 2, jitter: 'none' },
  } as const;

  test('replace the backoff for their type and count attempts of that type', () => {
    const config: RetryConfig = { strategies, maxRetries: 10 };
    expect(decided(config, { attempts: 5, attemptsOfStrategy: 1 })).toMatchObject({ delayMs: 100 });
    expect(decided(config, { attempts: 6, attemptsOfStrategy: 2 })).toMatchObject({ delayMs: 150 });
    expect(decided(config, { attempts: 7, attemptsOfStrategy: 3 })).toEqual({
      retry: false,
      because: 'retries-exhausted',
    });
  });

  test('leave the types that they do not name alone', () => {
    expect(decided({ strategies }, {}, { type: 'overloaded' })).toMatchObject({ delayMs: 1_000 });
  });

  test('do not raise maxRetries', () => {
    expect(decided({ strategies, maxRetries: 1 }, { attempts: 2, attemptsOfStrategy: 2 })).toMatchObject({
      retry: false,
    });
  });

  test('may ignore hints', () => {
    const config: RetryConfig = { strategies: { rate_limit: { ...strategies.rate_limit, retryAfter: 'ignore' } } };
    expect(decided(config, {}, hinted(1e9))).toEqual({ retry: true, delayMs: 100, because: 'backoff' });
  });

  test('take what they leave out from the call, and not from the table of failures', () => {
    const config: RetryConfig = { baseDelayMs: 300, jitter: 'none', strategies: { timeout: { maxRetries: 5 } } };
    expect(decided(config, { attempts: 2, attemptsOfStrategy: 2 }, { type: 'timeout' })).toMatchObject({
      delayMs: 600,
    });
    const listed: RetryConfig = { backoff: [7, 8], strategies: { timeout: { maxRetries: 5 } } };
    expect(decided(listed, { attempts: 2, attemptsOfStrategy: 2 }, { type: 'timeout' })).toMatchObject({ delayMs: 8 });
    const growing: RetryConfig = { backoff: [7, 8], strategies: { timeout: { baseDelayMs: 50, jitter: 'none' } } };
    expect(decided(growing, {}, { type: 'timeout' })).toMatchObject({ delayMs: 50 });
  });

  test('have counts of their own, and the types without one share the default of three', () => {
    const config: RetryConfig = { strategies: { timeout: { maxRetries: 5 } } };
    const others = { attempts: 6, scheduleIndex: 5 };
    expect(decided(config, { ...others, attemptsOfStrategy: 3 })).toMatchObject({ retry: true });
    expect(decided(config, { ...others, attemptsOfStrategy: 4 })).toEqual({
      retry: false,
      because: 'retries-exhausted',
    });
  });
});

test('a decision draws at most one random number', () => {
  for (const failure of [{}, hinted(10)]) {
    let drawn = 0;
    decided({}, {}, failure, () => {
      drawn += 1;
      return 0.5;
    });
    expect(drawn).toBe(1);
  }
});

test.each(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])(
  'a failure by a time limit of Node (%s) is retried once at most, because the model worked all the time',
  (code) => {
    const failure = { type: 'timeout', code } as const;
    const second = { attempts: 2, attemptsOfStrategy: 2, cutOffsLeft: 0 };
    expect(decided({}, { cutOffsLeft: 1 }, failure)).toMatchObject({ retry: true });
    expect(decided({}, second, failure)).toEqual({ retry: false, because: 'retries-exhausted' });
    const many = { strategies: { timeout: { maxRetries: 8 } }, maxRetries: 9 };
    expect(decided(many, second, failure)).toMatchObject({ retry: false });
    const first = { ...situation({ cutOffsLeft: 1 }, failure), maxRetries: 3 };
    expect(reachableRetries(first, resolveConfig('createRetryFetch', {}))).toBe(1);
  },
);

/** The retries that a first failure after so long leaves, and whether a second one of its kind is retried. */
function leftAfter(durationMs: number, failure: Partial<Failure>): readonly [left: number | null, again: boolean] {
  const counter = new Counter(1);
  const count = (): Situation => {
    const { failure: whole } = situation({}, failure);
    return situation({ ...counter.count(whole, durationMs, new Map()), maxRetries: 3 }, failure);
  };
  const left = reachableRetries(count(), resolveConfig('createRetryFetch', {}));
  counter.attempts = 2;
  return [left, decided({}, count(), failure).retry];
}

test.each([
  [504, 60_000, 1],
  [524, 100_000, 1],
  [504, 25_000, 1],
  [504, 24_999, 3],
  [503, 60_000, 3],
])(
  'a time-out with the status %s after %i ms leaves %i retries, because the model may have worked',
  (status, durationMs, left) => {
    const type = status === 503 ? 'overloaded' : 'timeout';
    expect(leftAfter(durationMs, { type, status })).toEqual([left, left > 1]);
  },
);
