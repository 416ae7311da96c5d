import { VoyageAIClient } from 'voyageai';
import { CALL_TIMEOUT_MS, recommended } from '../../sdks/recommended.ts';
import { EMBEDDING, REPLY } from '../protocols.ts';
import { API_KEY, fetchOf, type Library, PROMPT, type Question } from './library.ts';

function client(question: Question): VoyageAIClient {
  return new VoyageAIClient({
    apiKey: API_KEY,
    environment: `${question.baseUrl}/v1`,
    ...(question.ownRetries === 'off' && { maxRetries: 0, timeoutInSeconds: CALL_TIMEOUT_MS / 1000 }),
    ...fetchOf(question),
  });
}

export const voyageai: readonly Library[] = [
  {
    name: 'voyageai embed',
    api: 'embeddings',
    isStreamed: false,
    retry: recommended['groq-sdk'],
    async run(question) {
      const { data = [] } = await client(question).embed({ input: PROMPT, model: 'voyage-4' });
      const [embedding] = data;
      // A reply of the other libraries is text; here the whole vector counts as one.
      return String(embedding?.embedding) === String(EMBEDDING) ? REPLY : String(embedding?.embedding ?? '');
    },
  },
];
