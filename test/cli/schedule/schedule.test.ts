import { describe, expect, it } from 'vitest';
import { hasJitter, MOST_RETRIES, plannedRetries, sourceFor, sourceOf } from '../../../src/cli/schedule/schedule.ts';
import { createRetryFetch, exponential, FAILURES, presets, type RetryConfig, stepped } from '../../../src/index.ts';
import { fakeRuntime, respondError } from '../../script.ts';

/** The waits of the library's own loop against a server that never answers, with chance in its place. */
async function waitsOf(config: RetryConfig, chance: number, type = 'api_error', status = 500): Promise<number[]> {
  const runtime = fakeRuntime(() => chance);
  const answer = async () => respondError(status, { type, message: 'no' });
  await createRetryFetch(answer, { ...config, runtime })('https://api.example.com/');
  return runtime.slept;
}

const delaysOf = (config: RetryConfig): number[] => plannedRetries(sourceOf(config)).map(({ delayMs }) => delayMs);

describe('a planned schedule has the waits of the loop', () => {
  const policies: Record<string, RetryConfig> = {
    standard: presets.standard,
    patient: presets.patient,
    background: presets.background,
    agent: presets.agent,
    fleet: presets.fleet(),
    'full jitter': { jitter: 'full', maxRetries: 8, maxDelayMs: 20_000 },
    'jitter at the cap': { maxRetries: 8, maxDelayMs: 10_000, jitterFactor: 0.5 },
    'a limit on all waiting': { maxRetries: 10, maxTotalDelayMs: 20_000, jitter: 'none' },
    steps: { backoff: stepped([1_000, 2_000], { tailMs: null }) },
    'undefined options': { maxRetries: undefined, baseDelayMs: undefined, backoff: undefined },
  };

  it.each(Object.entries(policies))('for %s', async (_name, config) => {
    const planned = plannedRetries(sourceOf(config));
    expect(planned.length).toBeGreaterThan(0);
    expect(planned.map(({ delayMs }) => delayMs)).toEqual(await waitsOf(config, 0.5));
    for (const chance of [0, 0.25, 0.999]) {
      for (const [index, waitMs] of (await waitsOf(config, chance)).slice(0, planned.length).entries()) {
        const { minDelayMs = 0, maxDelayMs = 0 } = planned[index] ?? {};
        expect(waitMs).toBeGreaterThanOrEqual(minDelayMs);
        expect(waitMs).toBeLessThanOrEqual(maxDelayMs);
      }
    }
  });

  it('for a failure type with its own strategy', async () => {
    const planned = plannedRetries(sourceFor(presets.taxonomy, 'overloaded')).map(({ delayMs }) => delayMs);
    expect(planned).toEqual(await waitsOf(presets.taxonomy, 0.5, 'overloaded_error', 529));
    expect(planned).toHaveLength((FAILURES.overloaded.strategy?.maxAttempts ?? 0) - 1);
    expect(sourceFor(presets.agent, 'overloaded')).toEqual({ ...sourceOf(presets.agent), backoff: expect.anything() });
  });
});

describe('plannedRetries', () => {
  it('has 21 retries and 7h 31m 45s for the patient preset', () => {
    const planned = plannedRetries(sourceOf(presets.patient));
    expect(planned).toHaveLength(21);
    expect(planned.at(-1)).toEqual({
      retry: 21,
      delayMs: 1_800_000,
      minDelayMs: 1_800_000,
      maxDelayMs: 1_800_000,
      elapsedMs: 27_105_000,
      minElapsedMs: 27_105_000,
      maxElapsedMs: 27_105_000,
    });
    expect(hasJitter(planned)).toBe(false);
  });

  it('adds up the bounds of jitter', () => {
    const planned = plannedRetries(sourceOf({ baseDelayMs: 1_000, jitterFactor: 0.2, maxRetries: 2 }));
    expect(planned.map(({ minDelayMs, maxDelayMs }) => [minDelayMs, maxDelayMs])).toEqual([
      [800, 1_200],
      [1_600, 2_400],
    ]);
    expect(planned.at(-1)).toMatchObject({ elapsedMs: 3_000, minElapsedMs: 2_400, maxElapsedMs: 3_600 });
    expect(hasJitter(planned)).toBe(true);
  });

  it('finds the longest wait even if it is in the middle of the range, below the cap', () => {
    const backoff = exponential({ baseDelayMs: 55_000, maxDelayMs: 60_000, jitterFactor: 0.2 });
    const [first] = plannedRetries({ backoff, maxRetries: 1, maxTotalDelayMs: Number.POSITIVE_INFINITY });
    expect(first?.minDelayMs).toBe(44_000);
    expect(first?.maxDelayMs).toBeGreaterThan(59_900);
    expect(first?.maxDelayMs).toBeLessThanOrEqual(60_000);
  });

  it('stops after more retries than a reader needs', () => {
    expect(delaysOf({ backoff: stepped([0]) })).toHaveLength(MOST_RETRIES + 1);
    expect(delaysOf({ maxRetries: 0 })).toEqual([]);
  });
});
