import { createRetryFetch, presets } from 'retry-transport';

// The defaults.
export const standard = createRetryFetch();

// A chat: two retries, no more than ten seconds of waiting in all, and the error instead of the last response.
export const chat = createRetryFetch({ maxRetries: 2, maxTotalDelayMs: 10_000, exhausted: 'throw' });

// A preset with one option changed.
export const batch = createRetryFetch({ ...presets.background, maxRetryAfterMs: 600_000 });
