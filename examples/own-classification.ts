import { createRetryFetch } from 'retry-transport';

const fetch = createRetryFetch(undefined, {
  maxRetries: 7,
  // The last word on a failure, called for each one; undefined keeps what was found.
  classify: (failure, outcome) => {
    const isLocked = failure.status === 409 && 'response' in outcome && outcome.body?.includes('"locked"') === true;
    return isLocked ? { ...failure, type: 'overloaded', retryable: true } : undefined;
  },
  // Waits per type, merged over the row in FAILURES; a type that is not named keeps the one schedule.
  strategies: { overloaded: { maxAttempts: 8, initialDelayMs: 10, jitter: 'none' } },
});

const response = await fetch('https://api.example.com/v1/threads/7/runs', { method: 'POST', body: '{}' });
console.log(response.status);
