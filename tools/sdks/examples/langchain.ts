import { ChatOpenAI } from '@langchain/openai';
import { createRetryFetch, presets } from 'retry-transport';

const fetch = createRetryFetch(presets.recommended);
const model = new ChatOpenAI({ model: 'gpt-5', maxRetries: 0, configuration: { fetch } });

for await (const chunk of await model.stream('Say hello.')) process.stdout.write(chunk.text);
