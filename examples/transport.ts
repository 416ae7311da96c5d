import { describeEvent, FetchTransport, RetryTransport } from 'retry-transport';

// A RetryTransport is an HttpTransport too: use it wherever you used the inner transport.
const transport = new RetryTransport(new FetchTransport({ headers: { 'x-api-key': 'your-key' } }), {
  maxRetries: 5,
  onEvent: (event) => console.log(describeEvent(event)),
});

const response = await transport.post('https://api.anthropic.com/v1/messages', {
  model: 'claude-sonnet-5',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(response.status);
