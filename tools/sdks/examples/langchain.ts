import { ChatOpenAI } from '@langchain/openai';
import { createRetryFetch } from 'retry-transport';

const model = new ChatOpenAI({ model: 'gpt-5', maxRetries: 0, configuration: { fetch: createRetryFetch() } });

for await (const chunk of await model.stream('Say hello.')) process.stdout.write(chunk.text);
