// Bun's `fetch` has a member of its own, so its type takes fewer functions than that of other runtimes.
import { createOpenAI } from '@ai-sdk/openai';
import { createRetryFetch, type RetryFetch } from 'retry-transport';

globalThis.fetch = createRetryFetch();
globalThis.fetch = createRetryFetch({ maxRetries: 5 }).with({ maxRetries: 1 });
export const provider = createOpenAI({ fetch: createRetryFetch({ fetch }) });
export const own: RetryFetch = createRetryFetch({ fetch: (input, init) => fetch(input, init) });
