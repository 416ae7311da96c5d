import { createRetryFetch, type RetryEvent } from 'retry-transport';

/** An answer, or the moment at which the call may be made again, in milliseconds since the epoch. */
export type Outcome = { readonly answer: Response } | { readonly possibleAt: number; readonly reason: string };

/**
 * Makes one call, in which no wait is longer than a minute. If a longer wait is needed, such as five hours for a quota,
 * returns the moment, so that a job queue or a workflow can keep it over a restart.
 */
export async function callOrPostpone(inner: typeof fetch, url: string, init: RequestInit): Promise<Outcome> {
  let failed: Extract<RetryEvent, { type: 'failed' }> | undefined;
  const fetch = createRetryFetch({
    fetch: inner,
    baseDelayMs: 500,
    maxRetries: 8,
    onEvent: (event) => void (event.type === 'failed' && (failed = event)),
  });
  const answer = await fetch(url, init);
  if (failed?.possibleAt === undefined) return { answer };
  return { possibleAt: failed.possibleAt, reason: failed.failure.message };
}
