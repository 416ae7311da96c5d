import { OpenAI } from '@llamaindex/openai';
import { CALL_TIMEOUT_MS, recommended } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, joined, type Library, PROMPT, type Question } from './library.ts';

const messages = [{ role: 'user' as const, content: PROMPT }];

function client(question: Question): OpenAI {
  const isOff = question.ownRetries === 'off';
  return new OpenAI({
    model: 'gpt-4o',
    apiKey: API_KEY,
    baseURL: `${question.baseUrl}/v1`,
    ...(isOff && { maxRetries: 0 }),
    additionalSessionOptions: { ...fetchOf(question), ...(isOff && { timeout: CALL_TIMEOUT_MS }) },
  });
}

export const llamaindex: readonly Library[] = [
  {
    name: 'llamaindex chat',
    api: 'chat',
    isStreamed: false,
    retry: recommended['groq-sdk'],
    run: async (question) => String((await client(question).chat({ messages })).message.content),
  },
  {
    name: 'llamaindex chat stream',
    api: 'chat',
    isStreamed: true,
    retry: recommended['groq-sdk'],
    run: async (question) => joined(await client(question).chat({ messages, stream: true }), ({ delta }) => delta),
  },
];
