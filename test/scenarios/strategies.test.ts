/** A strategy for each type of failure, met one after the other in one call. */

import { describe, expect, test } from 'vitest';
import { createRetryFetch, FAILURES, type FailureType, presets, type RetryConfig } from '../../src/index.ts';
import { fakeRuntime, observed, script, type Step, URL_OF_TEST } from '../script.ts';

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

  test('waits no longer than the limit on all waits', async () => {
    const { call, slept } = scripted({ ...many, maxDelayMs: 1_500 }, 429, 429, 529, 500, 200);
    await call();
    expect(slept).toEqual([1_000, 1_500, 1_500, 1_000]);
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

  test('between other failures keeps its own count', async () => {
    const { call, inner } = scripted(presets.taxonomy, 504, 429, 429, 504, 200);
    expect((await call()).status).toBe(504);
    expect(inner.calls).toHaveLength(4);
  });
});
