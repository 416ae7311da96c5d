import Groq from 'groq-sdk';
import { CALL_TIMEOUT_MS, recommended } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, joined, type Library, PROMPT, type Question } from './library.ts';

const model = 'llama-3.3-70b-versatile';
const messages = [{ role: 'user' as const, content: PROMPT }];

function client(question: Question): Groq {
  return new Groq({
    apiKey: API_KEY,
    baseURL: question.baseUrl,
    ...(question.ownRetries === 'off' && { maxRetries: 0, timeout: CALL_TIMEOUT_MS }),
    ...fetchOf(question),
  });
}

export const groq: readonly Library[] = [
  {
    name: 'groq chat',
    api: 'chat',
    isStreamed: false,
    retry: recommended['groq-sdk'],
    async run(question) {
      const completion = await client(question).chat.completions.create({ model, messages });
      return completion.choices[0]?.message.content ?? '';
    },
  },
  {
    name: 'groq chat stream',
    api: 'chat',
    isStreamed: true,
    retry: recommended['groq-sdk'],
    async run(question) {
      const stream = await client(question).chat.completions.create({ model, messages, stream: true });
      return joined(stream, (chunk) => chunk.choices[0]?.delta.content);
    },
  },
];
