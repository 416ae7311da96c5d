import OpenAI from 'openai';
import { recommended } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, joined, type Library, maxRetriesOf, PROMPT, type Question } from './library.ts';

const model = 'gpt-5';
const messages = [{ role: 'user' as const, content: PROMPT }];

function client(question: Question): OpenAI {
  return new OpenAI({
    apiKey: API_KEY,
    baseURL: `${question.baseUrl}/v1`,
    ...maxRetriesOf(question),
    ...fetchOf(question),
  });
}

export const openai: readonly Library[] = [
  {
    name: 'openai chat',
    api: 'chat',
    isStreamed: false,
    retry: recommended.openai,
    async run(question) {
      const completion = await client(question).chat.completions.create({ model, messages });
      return completion.choices[0]?.message.content ?? '';
    },
  },
  {
    name: 'openai chat stream',
    api: 'chat',
    isStreamed: true,
    retry: recommended.openai,
    async run(question) {
      const stream = await client(question).chat.completions.create({ model, messages, stream: true });
      return joined(stream, (chunk) => chunk.choices[0]?.delta.content);
    },
  },
  {
    name: 'openai responses',
    api: 'responses',
    isStreamed: false,
    retry: recommended.openai,
    run: async (question) => (await client(question).responses.create({ model, input: PROMPT })).output_text,
  },
  {
    name: 'openai responses stream',
    api: 'responses',
    isStreamed: true,
    retry: recommended.openai,
    async run(question) {
      const stream = await client(question).responses.create({ model, input: PROMPT, stream: true });
      return joined(stream, (event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    },
  },
];
