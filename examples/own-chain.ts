import { createFallback, createRetryFetch, type OwnFallback, type Target } from 'retry-transport';

const haiku: Target = {
  name: 'haiku',
  requestFor: (request) => ({ ...request, body: String(request.body).replace('claude-sonnet-5', 'claude-haiku-5') }),
};

/** A chain of your own is an object with `next`. The other model is used for at most one hundred calls. */
let left = 100;
const chain: OwnFallback = {
  maxRetriesBeforeFallback: 0,
  next: ({ type }, asked) => {
    if (type !== 'overloaded' || asked.includes(haiku) || left === 0) return undefined;
    left -= 1;
    return { target: haiku, waitMs: 0 };
  },
};

const fetch = createRetryFetch({ fallback: createFallback(chain) });
const response = await fetch('https://api.anthropic.com/v1/messages', {
  method: 'POST',
  headers: { 'x-api-key': 'your-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'claude-sonnet-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log(response.status, `${left} left`);
