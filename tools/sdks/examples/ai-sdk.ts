import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';
import { createRetryFetch, presets } from 'retry-transport';

const fetch = createRetryFetch(presets.recommended);
const anthropic = createAnthropic({ fetch });
const google = createGoogle({ fetch });
const openai = createOpenAI({ fetch });

for (const model of [anthropic('claude-sonnet-5'), google('gemini-2.5-flash'), openai('gpt-5')]) {
  const { textStream } = streamText({ model, prompt: 'Say hello.', maxRetries: 0 });
  for await (const text of textStream) process.stdout.write(text);
}
