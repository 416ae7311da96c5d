import { retryStream, type StreamRetryConfig } from 'retry-transport';

interface RetryOptions {
  readonly maxAttempts?: number;
  readonly baseDelay?: number;
  readonly maxDelay?: number;
  readonly shouldRetry?: (error: unknown, attempt: number) => boolean;
  readonly onRetry?: (error: unknown, attempt: number, delay: number) => void;
}

/** In place of a decorator of your own for methods that are async generators: `@retried({ maxAttempts: 5 })`. */
export function retried({ maxAttempts = 3, baseDelay = 1_000, maxDelay = 30_000, ...options }: RetryOptions = {}) {
  const { shouldRetry, onRetry } = options;
  const config: StreamRetryConfig = {
    maxRetries: maxAttempts - 1,
    baseDelayMs: baseDelay,
    maxDelayMs: maxDelay,
    classify: (_failure, { error, attempt }) => {
      if (shouldRetry === undefined) return undefined;
      return shouldRetry(error, attempt) ? 'retry' : 'stop';
    },
    onRetry: (attempt, error, delayMs) => onRetry?.(error, attempt, delayMs),
  };
  return <This, Args extends unknown[], T>(method: (this: This, ...args: Args) => AsyncIterable<T>) =>
    function (this: This, ...args: Args): AsyncGenerator<T> {
      return retryStream(() => method.apply(this, args), config);
    };
}
