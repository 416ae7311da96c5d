/** A strategy for each type of failure, met one after the other in one call. */

import { describe, expect, test } from 'vitest';
import {
  createRetryFetch,
  type Failure,
  FAILURES,
  type FailureType,
  presets,
  type RetryConfig,
} from '../../src/index.ts';
import { fakeRuntime, observed, respond, script, type Step, URL_OF_TEST } from '../script.ts';

function scripted(config: RetryConfig, ...steps: readonly [Step, ...Step[]]) {
  const runtime = fakeRuntime();
  const inner = script(runtime, ...steps);
  const watched = observed({ runtime, ...config });
  const call = (): Promise<Response> => createRetryFetch({ fetch: inner, ...watched })(URL_OF_TEST);
  return { call, inner, slept: runtime.slept, events: watched.events };
}

/** The row of a type, without jitter. */
const exact = (type: FailureType) => ({ ...FAILURES[type].strategy, jitter: 'none' }) as const;
const STRATEGIES = {
  rate_limit: exact('rate_limit'),
  overloaded: exact('overloaded'),
  server_error: exact('server_error'),
  timeout: exact('timeout'),
} as const;
const many: RetryConfig = { strategies: STRATEGIES, maxRetries: 17 };

describe('one call', () => {
  test('that meets a rate limit and then an overload treats each by its own strategy', async () => {
    const { call, slept } = scripted(many, 429, 529, 429, 529, 500, 429, 200);
    expect((await call()).status).toBe(200);
    expect(slept).toEqual([1_000, 5_000, 2_000, 10_000, 1_000, 4_000]);
  });

  test('counts the attempts of each type separately, the first included', async () => {
    const { call, inner, events } = scripted(many, 500, 429, 500, 429, 500);
    expect((await call()).status).toBe(500);
    expect(inner.calls).toHaveLength(5);
    expect(events.at(-1)).toMatchObject({ because: 'retries-exhausted', failure: { type: 'server_error' } });
  });

  test('is ended by the limit on all attempts, whatever the strategies allow', async () => {
    const { call, inner } = scripted({ ...many, maxRetries: 2 }, 429, 529, 500, 200);
    expect((await call()).status).toBe(500);
    expect(inner.calls).toHaveLength(3);
  });

  test('waits no longer than the limit on all waits', async () => {
    const { call, slept } = scripted({ ...many, maxDelayMs: 1_500 }, 429, 429, 529, 500, 200);
    await call();
    expect(slept).toEqual([1_000, 1_500, 1_500, 1_000]);
  });
});

describe('an override', () => {
  test('takes what it leaves out from the call, in the words of the options', async () => {
    const strategies = { rate_limit: { maxRetries: 1, baseDelayMs: 2_000, jitter: 'none' } } as const;
    const { call, slept } = scripted({ strategies, maxRetries: 9 }, 429);
    await call();
    expect(slept).toEqual([2_000]);
    const slower = { rate_limit: { backoffMultiplier: 3, maxRetries: undefined } };
    const other = scripted({ strategies: slower, maxRetries: 4, jitter: 'none' }, 429);
    await other.call();
    expect(other.slept).toEqual([1_000, 3_000, 9_000, 27_000]);
  });

  test('may ignore hints', async () => {
    const hint = respond(429, { 'retry-after': '7' });
    const { call, slept } = scripted(
      { strategies: { rate_limit: { ...exact('rate_limit'), retryAfter: 'ignore' } } },
      hint,
      200,
    );
    await call();
    expect(slept).toEqual([1_000]);
  });
});

describe('an immediate retry', () => {
  test('of a timeout comes at once, once, and cannot loop', async () => {
    const { call, inner, slept, events } = scripted(presets.taxonomy, 504);
    expect((await call()).status).toBe(504);
    expect(inner.calls).toHaveLength(2);
    expect(slept).toEqual([0]);
    expect(events.at(-1)).toMatchObject({ because: 'retries-exhausted' });
  });

  test('of a cache error that the caller names comes once, and cannot loop', async () => {
    const named = (failure: Failure): Failure => ({
      ...failure,
      type: 'cache_error',
      retryable: true,
      category: 'retryable',
    });
    const { call, inner, slept } = scripted({ ...presets.taxonomy, classify: named }, 400);
    await call();
    expect(inner.calls).toHaveLength(2);
    expect(slept).toEqual([0]);
  });

  test('between other failures keeps its own count', async () => {
    const { call, inner } = scripted(presets.taxonomy, 504, 429, 429, 504, 200);
    expect((await call()).status).toBe(504);
    expect(inner.calls).toHaveLength(4);
  });

  test('without a count must have another limit', () => {
    const endless = { strategies: { timeout: { maxRetries: Infinity, baseDelayMs: 0 } } };
    expect(() => createRetryFetch(endless)).toThrow('Expected waits that end');
    expect(() => createRetryFetch({ ...endless, maxTotalDelayMs: 1e6 })).toThrow('Expected waits that end');
    expect(() => createRetryFetch({ ...endless, maxElapsedMs: 1e6 })).not.toThrow();
    expect(() => createRetryFetch({ ...endless, maxRetries: 5 })).not.toThrow();
  });
});
