import { withRetry } from 'retry-transport';

/** p-retry's `pRetry(operation, { retries: 5, shouldRetry, onFailedAttempt, signal })`. */
export function page(url: string, signal?: AbortSignal): Promise<string> {
  return withRetry(
    async (context) => {
      const response = await fetch(url, { signal: context.signal });
      const { status, headers } = response;
      const text = await response.text();
      if (!response.ok) throw Object.assign(new Error(text), { status, headers });
      return text;
    },
    {
      maxRetries: 5,
      signal,
      // p-retry also repeats an error that it does not know.
      retryUnknownErrors: true,
      classify: (_failure, { error }) => (error instanceof RangeError ? 'stop' : undefined),
      onRetry: (attempt, error, delayMs) => console.log(`attempt ${attempt}: ${error.message}, next in ${delayMs} ms`),
    },
  );
}
