import Together from 'together-ai';
import { API_KEY, fetchOf, joined, type Library, maxRetriesOf, PROMPT, type Question } from './library.ts';

export const together: readonly Library[] = [
  {
    name: 'together chat stream',
    api: 'chat',
    isStreamed: true,
    takesFetch: true,
    async run(question) {
      const stream = await client(question).chat.completions.create({
        model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
        messages: [{ role: 'user', content: PROMPT }],
        stream: true,
      });
      return joined(stream, (chunk) => chunk.choices[0]?.delta.content);
    },
  },
];

function client(question: Question): Together {
  return new Together({
    apiKey: API_KEY,
    baseURL: `${question.baseUrl}/v1`,
    ...maxRetriesOf(question),
    ...fetchOf(question),
  });
}
