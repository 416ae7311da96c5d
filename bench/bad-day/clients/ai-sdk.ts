import { createOpenAI, type OpenAIProviderSettings } from '@ai-sdk/openai';
import { generateText, type LanguageModel, streamText } from 'ai';
import { type Client, defaultsAndBest, KEY, PATIENCE, type Program, type Question } from '../client.ts';

export const chatModel = (origin: string, settings: OpenAIProviderSettings = {}) =>
  createOpenAI({ apiKey: KEY, baseURL: `${origin}/v1`, ...settings }).chat('gpt-5');

type Options = { readonly maxRetries?: number; readonly timeout?: { readonly chunkMs: number } };

/** `streamText` reports its error to `onError`, and a cut stream by another finish reason. */
export async function askModel(model: LanguageModel, question: Question, options: Options = {}): Promise<string> {
  const { prompt, isStreamed, show } = question;
  const { timeout, ...rest } = options;
  if (!isStreamed) return (await generateText({ model, prompt, ...rest })).text;
  const failures: unknown[] = [];
  const onError = ({ error }: { readonly error: unknown }) => void failures.push(error);
  const { textStream, finishReason } = streamText({ model, prompt, ...options, onError });
  let whole = '';
  for await (const piece of textStream) {
    show(piece);
    whole += piece;
  }
  if (failures.length > 0) throw failures[0];
  if (timeout !== undefined && (await finishReason) !== 'stop') throw new Error('The stream has no end.');
  return whole;
}

const sdk = (origin: string, options?: Options): Program => ({
  ask: (question) => askModel(chatModel(origin), question, options),
});

const best: Options = { maxRetries: PATIENCE.retries, timeout: { chunkMs: 180_000 } };
export default {
  name: 'ai',
  package: 'ai',
  api: 'chat',
  documentation: 'https://ai-sdk.dev/docs/ai-sdk-core/settings',
  settings: defaultsAndBest(sdk, best),
} satisfies Client;
