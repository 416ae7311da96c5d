import { createFallback, createRetryFetch } from 'retry-transport';

const fallback = createFallback({
  primary: 'sonnet',
  targets: [
    { name: 'haiku', model: 'claude-haiku-5' },
    { name: 'long', kind: 'context', model: 'claude-sonnet-5-1m' },
  ],
  maxRetriesBeforeFallback: 0,
});

const fetch = createRetryFetch({
  fallback,
  onEvent: (event) => {
    if (event.type === 'fallback') console.log(`${event.failure.type}: from ${event.from} to ${event.to}`);
  },
});

const response = await fetch('https://api.anthropic.com/v1/messages', {
  method: 'POST',
  headers: { 'x-api-key': 'your-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'claude-sonnet-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log(response.status);
