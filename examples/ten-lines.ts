import { createRetryFetch, describeFailure, formatDelay } from 'retry-transport';

const fetch = createRetryFetch({
  onEvent: (event) => {
    if (event.type !== 'retry') return;
    console.log(`${describeFailure(event.failure).headline}: retry ${event.attempt} in ${formatDelay(event.delayMs)}`);
  },
});

const response = await fetch('https://api.anthropic.com/v1/messages', {
  method: 'POST',
  headers: { 'x-api-key': 'your-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'claude-sonnet-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log(response.status, await response.text());
