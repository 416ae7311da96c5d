import { withRetry } from 'retry-transport';

interface RetryOptions<T> {
  readonly maxAttempts?: number;
  readonly initialDelayMs?: number;
  readonly maxDelayMs?: number;
  readonly signal?: AbortSignal;
  readonly shouldRetryOnError?: (error: unknown) => boolean;
  readonly shouldRetryOnContent?: (content: T) => boolean;
  /** Asks a person for another model; false to give up. */
  readonly onPersistentError?: (error: unknown) => Promise<boolean>;
  readonly onRetry?: (attempt: number, error: unknown, delayMs: number) => void;
}

/** In place of a retry function of your own: its options stay, and the waits, the hints and the reading of errors are ours. */
export async function retryWithBackoff<T>(fn: () => Promise<T>, options: RetryOptions<T> = {}): Promise<T> {
  const { maxAttempts = 10, initialDelayMs = 5_000, maxDelayMs = 30_000, signal, onRetry } = options;
  const { shouldRetryOnError, shouldRetryOnContent, onPersistentError } = options;
  for (;;) {
    try {
      return await withRetry(fn, {
        signal,
        maxRetries: maxAttempts - 1,
        baseDelayMs: initialDelayMs,
        maxDelayMs,
        jitterFactor: 0.3,
        classify: (_failure, { error }) => (shouldRetryOnError?.(error) === true ? 'retry' : undefined),
        errorIn: (content) => shouldRetryOnContent?.(content) === true && 'The content was refused.',
        onRetry,
      });
    } catch (error) {
      if (signal?.aborted === true || (await onPersistentError?.(error)) !== true) throw error;
    }
  }
}
