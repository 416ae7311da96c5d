import { describe, expect, test } from 'vitest';
import { createRetryFetch, FAILURES, type FailureType, type RetryConfig } from '../../src/index.ts';
import { fakeRuntime, respondError } from '../script.ts';

/** The waits of a call whose failures are all of one type. */
async function waitsOf(config: RetryConfig, type: FailureType): Promise<readonly number[]> {
  const runtime = fakeRuntime(() => 0.5);
  const answer = async (): Promise<Response> => respondError(500, { type: 'api_error', message: 'no' });
  const classify: RetryConfig['classify'] = (failure) => ({ ...failure, type, retryable: true, category: 'retryable' });
  await createRetryFetch({ fetch: answer, ...config, classify, runtime })('https://api.example.com/');
  return runtime.slept;
}

describe('after a type of failure', () => {
  test.each<[string, FailureType, RetryConfig, readonly number[]]>([
    ['are those of the call without a strategy', 'timeout', { maxRetries: 2 }, [1_000, 2_000]],
    [
      'are those of the call, as often as the strategy says',
      'unknown',
      { strategies: { unknown: { maxRetries: 2 } } },
      [1_000, 2_000],
    ],
    [
      'are those of a schedule of the caller',
      'unknown',
      { strategies: { unknown: { maxRetries: 2 } }, backoff: (retry) => 70 + retry, maxRetries: 5 },
      [70, 71],
    ],
    [
      'are those that its strategy names, under the names of all options',
      'unknown',
      { strategies: { unknown: { maxRetries: 3, baseDelayMs: 50, backoffMultiplier: 3, maxDelayMs: 200 } } },
      [50, 150, 200],
    ],
    [
      'may be a function, as often as the call says',
      'unknown',
      { maxRetries: 5, strategies: { unknown: { backoff: () => 5 } } },
      [5, 5, 5, 5, 5],
    ],
    ['may be a list', 'unknown', { strategies: { unknown: { backoff: [5, 7] } } }, [5, 7]],
    [
      'are capped by the call, in number and in length',
      'unknown',
      { maxRetries: 1, maxDelayMs: 20, strategies: { unknown: { maxRetries: 9, baseDelayMs: 50 } } },
      [20],
    ],
    [
      'are those of its row where the rows are spread',
      'overloaded',
      { jitter: 'none', strategies: { overloaded: { ...FAILURES.overloaded.strategy, jitter: 'none' } } },
      [5_000, 10_000, 20_000, 40_000],
    ],
  ])('the waits %s', async (_title, type, config, waits) => {
    expect(await waitsOf(config, type)).toEqual(waits);
  });
});
