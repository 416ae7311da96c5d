import { createFallback, createRetryFetch, type FallbackChain } from 'retry-transport';

const chain = createFallback({ targets: [{ name: 'haiku', model: 'claude-haiku-5' }], maxRetriesBeforeFallback: 0 });

/** A chain of your own: a copy with another `next`. The other model is used for at most one hundred calls. */
let left = 100;
const fallback: FallbackChain = {
  ...chain,
  next: (failure, asked, nowMs, fallsBack) => {
    const next = left > 0 ? chain.next(failure, asked, nowMs, fallsBack) : undefined;
    if (next !== undefined) left -= 1;
    return next;
  },
};

const fetch = createRetryFetch({ fallback });
const response = await fetch('https://api.anthropic.com/v1/messages', {
  method: 'POST',
  headers: { 'x-api-key': 'your-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'claude-sonnet-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log(response.status, `${left} left`);
