import Together from 'together-ai';
import { CALL_TIMEOUT_MS, recommended } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, joined, type Library, PROMPT, type Question } from './library.ts';

export const together: readonly Library[] = [
  {
    name: 'together chat stream',
    api: 'chat',
    isStreamed: true,
    retry: recommended['together-ai'],
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
    ...(question.ownRetries === 'off' && { maxRetries: 0, timeout: CALL_TIMEOUT_MS }),
    ...fetchOf(question),
  });
}
