import { createRetryFetch, presets } from 'retry-transport';

// Numbers: 0.5, 1, 2, 4 and 8 s, each ± 20 %.
export const eager = createRetryFetch({ maxRetries: 5, baseDelayMs: 500 });

// A preset with one option changed.
export const patient = createRetryFetch({ ...presets.patient, maxRetryAfterMs: 3_600_000 });

// Exact waits of 2, 4 and 8 s; hints of up to five minutes are obeyed.
export const exact = createRetryFetch({ baseDelayMs: 2_000, jitter: 'none', maxRetryAfterMs: 300_000 });

// Your own waits, in the order of the retries: three retries.
export const steps = createRetryFetch({ backoff: [1_000, 5_000, 30_000] });

// Ten retries: the last wait repeats.
export const more = createRetryFetch({ backoff: [1_000, 5_000, 30_000], maxRetries: 10 });

// A function of the number of the retry, from 0, and of the failure.
export const own = createRetryFetch({ backoff: (retry) => 1_000 * (retry + 1), maxRetries: 5 });

// `patient` with another option, for one call or one conversation.
export const once = patient.with({ maxRetries: 1 });
