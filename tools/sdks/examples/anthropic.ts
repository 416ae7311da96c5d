import Anthropic from '@anthropic-ai/sdk';
import { createRetryFetch, presets } from 'retry-transport';

const fetch = createRetryFetch({ ...presets.recommended, maxRetryAfterMs: 540_000 });
const client = new Anthropic({ fetch, maxRetries: 0 });

const stream = client.messages.stream({
  model: 'claude-sonnet-5',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Say hello.' }],
});
stream.on('text', (text) => process.stdout.write(text));
await stream.done();
