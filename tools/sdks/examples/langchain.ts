import { ChatOpenAI } from '@langchain/openai';
import { createRetryFetch } from 'retry-transport';

const fetch = createRetryFetch({ baseDelayMs: 500, maxRetries: 8, maxRetryAfterMs: 120_000 });
const model = new ChatOpenAI({ model: 'gpt-5', maxRetries: 0, configuration: { fetch } });

for await (const chunk of await model.stream('Say hello.')) process.stdout.write(chunk.text);
