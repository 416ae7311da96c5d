import { describe, expect, test } from 'vitest';
import type { RetryConfig } from '../../src/options/config.ts';
import { createRetryFetch, type FailureType } from '../../src/index.ts';
import { fakeRuntime, respondError } from '../script.ts';

/** The waits of a call whose failures are all of one type. */
async function waitsOf(config: RetryConfig, type: FailureType): Promise<readonly number[]> {
  const runtime = fakeRuntime(() => 0.5);
  const answer = async (): Promise<Response> => respondError(500, { type: 'api_error', message: 'no' });
  const classify: RetryConfig['classify'] = (failure) => ({ ...failure, type, retryable: true, category: 'retryable' });
  await createRetryFetch(answer, { ...config, classify, runtime })('https://api.example.com/');
  return runtime.slept;
}

describe('the waits after failures of one type', () => {
  test.each<[string, FailureType, RetryConfig, readonly number[]]>([
    ['type with a row starts from it', 'overloaded', { strategies: { overloaded: { maxAttempts: 2 } } }, [2_500]],
    [
      'type without a row keeps the common backoff',
      'unknown',
      { strategies: { unknown: { maxAttempts: 3 } } },
      [1_000, 2_000],
    ],
    [
      'type without a row keeps the schedule of the caller',
      'unknown',
      { strategies: { unknown: { maxAttempts: 3 } }, backoff: { delayFor: (retry) => 70 + retry }, maxRetries: 5 },
      [70, 71],
    ],
    [
      'type without a row has the waits that its strategy names',
      'unknown',
      { strategies: { unknown: { maxAttempts: 3, initialDelayMs: 50 } } },
      [50, 50],
    ],
    ['type without a strategy has the common backoff', 'timeout', { maxRetries: 2 }, [1_000, 2_000]],
  ])('are those of the schedule where a %s', async (_title, type, config, waits) => {
    expect(await waitsOf(config, type)).toEqual(waits);
  });
});
