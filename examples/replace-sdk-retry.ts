import { outcomeOf, withRetry } from 'retry-transport';

/** What an SDK throws after retries. */
export class RetryError extends Error {
  readonly reason: 'maxRetriesExceeded' | 'errorNotRetryable';
  readonly errors: readonly unknown[];
  constructor(reason: RetryError['reason'], errors: readonly unknown[], options: ErrorOptions) {
    super(`Failed after ${errors.length} attempts`, options);
    this.reason = reason;
    this.errors = errors;
  }
}

/** In place of the retry function of an SDK, whose error has the errors of all attempts. */
export function retryWithExponentialBackoff({
  maxRetries = 2,
  initialDelayInMs = 2_000,
  backoffFactor = 2,
  abortSignal,
}: {
  readonly maxRetries?: number;
  readonly initialDelayInMs?: number;
  readonly backoffFactor?: number;
  readonly abortSignal?: AbortSignal;
} = {}) {
  return async <T>(fn: () => PromiseLike<T>): Promise<T> => {
    try {
      return await withRetry(async () => fn(), {
        signal: abortSignal,
        maxRetries,
        backoff: (retry) => initialDelayInMs * backoffFactor ** retry,
      });
    } catch (error) {
      const end = outcomeOf(error);
      if (end?.type !== 'failed' || end.attempts === 1) throw error;
      const reason = end.because === 'not-retryable' ? 'errorNotRetryable' : 'maxRetriesExceeded';
      const errors = end.history.map((record) => record.error);
      throw new RetryError(reason, errors, { cause: error });
    }
  };
}
