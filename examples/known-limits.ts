import { createGate, createRetryFetch, presets } from 'retry-transport';

// At most 40 requests a minute, two at a time.
export const careful = createRetryFetch({
  ...presets.fleet,
  gate: createGate({ limits: { requestsPerMinute: 40, concurrent: 2 } }),
});

// Tokens need an estimate: here four characters of the request count as one.
export const byTokens = createRetryFetch({
  ...presets.fleet,
  gate: createGate({
    limits: { tokensPerMinute: 100_000 },
    cost: ({ body }) => 500 + (typeof body === 'string' ? body.length / 4 : 0),
  }),
});

// Your own schedule, with the same queue.
const gate = createGate({ limits: { requestsPerSecond: 5, requestsPerDay: 10_000 } });
export const patient = createRetryFetch({ ...presets.patient, gate });
