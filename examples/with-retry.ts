import { formatDelay, withRetry } from 'retry-transport';

/** Any asynchronous function can be retried. Pass its signal on, so that an abort ends the work in progress. */
export function answer(signal?: AbortSignal): Promise<string> {
  return withRetry(
    async ({ signal: attemptSignal }) => {
      const response = await fetch('https://api.example.com/v1/answer', { signal: attemptSignal ?? null });
      const { ok, status, headers } = response;
      const text = await response.text();
      // A rate limit is retried and a used-up quota is not: status and body show which it was. `headers` has
      // `Retry-After`.
      if (!ok) throw Object.assign(new Error(text), { status, headers });
      return text;
    },
    {
      signal,
      maxRetries: 4,
      onRetry: (retry, error, delayMs) =>
        console.log(`${error.message}: retry ${retry} of 4 in ${formatDelay(delayMs)}`),
    },
  );
}
