import { FetchTransport, RetryTransport } from 'retry-transport';

// The same interface on both sides: whoever takes an HttpTransport takes this one.
const transport = new RetryTransport(new FetchTransport({ headers: { 'x-api-key': 'your-key' } }), {
  maxRetries: 5,
  onEvent: (event) => {
    if (event.type === 'failed') console.log(`gave up: ${event.because}, ${event.failure.type}`);
  },
});

const response = await transport.post('https://api.anthropic.com/v1/messages', {
  model: 'claude-sonnet-5',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(response.status);
