import { createRetryFetch } from 'retry-transport';

const fetch = createRetryFetch({
  maxRetries: 7,
  // Called for each failure: 'retry', 'stop', another failure, or undefined to keep it as it is.
  classify: (failure, outcome) => {
    const isLocked = failure.status === 409 && 'response' in outcome && outcome.body?.includes('"locked"') === true;
    return isLocked ? { ...failure, type: 'overloaded', retryable: true } : undefined;
  },
  // The waits of a type; what is left out is that of the call.
  strategies: { overloaded: { maxRetries: 7, baseDelayMs: 10, jitter: 'none' } },
});

const response = await fetch('https://api.example.com/v1/threads/7/runs', { method: 'POST', body: '{}' });
console.log(response.status);
