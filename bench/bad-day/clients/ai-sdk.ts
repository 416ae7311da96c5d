import { createOpenAI, type OpenAIProviderSettings } from '@ai-sdk/openai';
import { generateText, type LanguageModel, streamText } from 'ai';
import { type Client, KEY, type Program, type Question } from '../client.ts';

export const chatModel = (origin: string, settings: OpenAIProviderSettings = {}) =>
  createOpenAI({ apiKey: KEY, baseURL: `${origin}/v1`, ...settings }).chat('gpt-5');

/** `streamText` reports its error to `onError`, and ends its stream without it. */
export async function askModel(model: LanguageModel, question: Question, maxRetries?: number): Promise<string> {
  const { prompt, isStreamed, show } = question;
  const retries = maxRetries === undefined ? {} : { maxRetries };
  if (!isStreamed) return (await generateText({ model, prompt, ...retries })).text;
  const failures: unknown[] = [];
  const { textStream } = streamText({ model, prompt, ...retries, onError: ({ error }) => void failures.push(error) });
  let whole = '';
  for await (const piece of textStream) {
    show(piece);
    whole += piece;
  }
  if (failures.length > 0) throw failures[0];
  return whole;
}

const sdk = (origin: string, maxRetries?: number): Program => ({
  ask: (question) => askModel(chatModel(origin), question, maxRetries),
});

export default {
  name: 'ai',
  package: 'ai',
  api: 'chat',
  documentation: 'https://ai-sdk.dev/docs/ai-sdk-core/settings',
  settings: [
    { name: 'defaults', create: (origin) => sdk(origin) },
    { name: 'best', create: (origin) => sdk(origin, 5) },
  ],
} satisfies Client;
