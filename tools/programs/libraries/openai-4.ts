import { type ClientOptions, OpenAI } from 'openai-4';
import { recommended } from '../../sdks/recommended.ts';
import { API_KEY, joined, type Library, maxRetriesOf, PROMPT, type Question } from './library.ts';

const request = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: PROMPT }] };

/** The last major release with a fetch of its own, node-fetch. */
function client(question: Question): OpenAI {
  return new OpenAI({
    apiKey: API_KEY,
    baseURL: `${question.baseUrl}/v1`,
    ...maxRetriesOf(question),
    ...ownFetchOf(question),
  });
}

/** Its types name those of node-fetch; it takes any fetch. */
function ownFetchOf({ fetch }: Question): Pick<ClientOptions, 'fetch'> {
  return fetch === undefined ? {} : { fetch: fetch as unknown as NonNullable<ClientOptions['fetch']> };
}

export const openai4: readonly Library[] = [
  {
    name: 'openai 4 chat',
    api: 'chat',
    isStreamed: false,
    retry: recommended.openai,
    run: async (question) =>
      (await client(question).chat.completions.create(request)).choices[0]?.message.content ?? '',
  },
  {
    name: 'openai 4 chat stream',
    api: 'chat',
    isStreamed: true,
    retry: recommended.openai,
    async run(question) {
      const stream = await client(question).chat.completions.create({ ...request, stream: true });
      return joined(stream, (chunk) => chunk.choices[0]?.delta.content);
    },
  },
];
