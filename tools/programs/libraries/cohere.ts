import { CohereClientV2 } from 'cohere-ai';
import { standard } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, joined, type Library, maxRetriesOf, PROMPT, type Question } from './library.ts';

const request = { model: 'command-a-03-2025', messages: [{ role: 'user' as const, content: PROMPT }] };

function client({ baseUrl, ...question }: Question): CohereClientV2 {
  return new CohereClientV2({ token: API_KEY, environment: baseUrl, ...fetchOf({ baseUrl, ...question }) });
}

export const cohere: readonly Library[] = [
  {
    name: 'cohere chat',
    api: 'cohere',
    isStreamed: false,
    retry: standard,
    async run(question) {
      const { message } = await client(question).chat(request, maxRetriesOf(question));
      const [block] = message.content ?? [];
      return block?.type === 'text' ? block.text : '';
    },
  },
  {
    name: 'cohere chat stream',
    api: 'cohere',
    isStreamed: true,
    retry: standard,
    run: async (question) =>
      joined(await client(question).chatStream(request, maxRetriesOf(question)), (event) =>
        event.type === 'content-delta' ? event.delta?.message?.content?.text : '',
      ),
  },
];
