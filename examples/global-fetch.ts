import { createRetryFetch } from 'retry-transport';

// Requests to a model are retried. All others are sent as before: payments, mail, telemetry, tools.
globalThis.fetch = createRetryFetch({ retryOnly: 'model-requests' });

const response = await fetch('https://api.openai.com/v1/responses', {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env['OPENAI_API_KEY']}` },
  body: JSON.stringify({ model: 'gpt-5', input: 'Say hello.' }),
});
console.log(response.status);
