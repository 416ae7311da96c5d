import { createRetryFetch, presets, stepped } from 'retry-transport';

// Numbers: 0.5, 1, 2, 4 and 8 s, each ± 20 %.
export const eager = createRetryFetch(undefined, { maxRetries: 5, baseDelayMs: 500 });

// A name, with one field changed.
export const patient = createRetryFetch(undefined, { ...presets.patient, maxRetryAfterMs: 3_600_000 });

// The waits themselves; `tailMs: null` ends the schedule after them.
const backoff = stepped([1_000, 5_000, 30_000], { tailMs: null });
export const steps = createRetryFetch(undefined, { backoff });

// The same with one thing changed, for one call or one conversation.
export const once = patient.with({ maxRetries: 1 });
