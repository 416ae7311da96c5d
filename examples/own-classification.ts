import { createRetryFetch } from 'retry-transport';

const fetch = createRetryFetch({
  maxRetries: 7,
  // Called for each failure; its result replaces the classification, undefined keeps it.
  classify: (failure, outcome) => {
    const isLocked = failure.status === 409 && 'response' in outcome && outcome.body?.includes('"locked"') === true;
    return isLocked ? { ...failure, type: 'overloaded', retryable: true } : undefined;
  },
  // The waits of a type; what is left out comes from FAILURES. Other types keep the common schedule.
  strategies: { overloaded: { maxRetries: 7, baseDelayMs: 10, jitter: 'none' } },
});

const response = await fetch('https://api.example.com/v1/threads/7/runs', { method: 'POST', body: '{}' });
console.log(response.status);
