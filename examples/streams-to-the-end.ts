import { createRetryFetch } from 'retry-transport';

// The answer is handed over when it is complete; a failure before that is retried.
const fetch = createRetryFetch({
  answers: { holdUntil: 'end' },
});

const response = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer your-key', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
});
console.log(await response.text());
