import OpenAI from 'openai';
import { createRetryFetch, presets } from 'retry-transport';

const fetch = createRetryFetch(presets.recommended);
const client = new OpenAI({ fetch, maxRetries: 0 });

const stream = await client.chat.completions.create({
  model: 'gpt-5',
  messages: [{ role: 'user', content: 'Say hello.' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
