import OpenAI from 'openai';
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
    takesFetch: true,
    async run(question) {
      const completion = await client(question).chat.completions.create({ model, messages });
      return completion.choices[0]?.message.content ?? '';
    },
  },
  {
    name: 'openai chat stream',
    api: 'chat',
    isStreamed: true,
    takesFetch: true,
    async run(question) {
      const stream = await client(question).chat.completions.create({ model, messages, stream: true });
      return joined(stream, (chunk) => chunk.choices[0]?.delta.content);
    },
  },
  {
    name: 'openai responses',
    api: 'responses',
    isStreamed: false,
    takesFetch: true,
    run: async (question) => (await client(question).responses.create({ model, input: PROMPT })).output_text,
  },
  {
    name: 'openai responses stream',
    api: 'responses',
    isStreamed: true,
    takesFetch: true,
    async run(question) {
      const stream = await client(question).responses.create({ model, input: PROMPT, stream: true });
      return joined(stream, (event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    },
  },
];
