import { HTTPClient, Mistral } from '@mistralai/mistralai';
import { standard } from '../../sdks/recommended.ts';
import { API_KEY, joined, type Library, PROMPT, type Question } from './library.ts';

const request = { model: 'mistral-large-latest', messages: [{ role: 'user' as const, content: PROMPT }] };

/** Does not retry by default; `on` sets the options from its documentation. */
function client({ baseUrl, fetch, ownRetries }: Question): Mistral {
  return new Mistral({
    apiKey: API_KEY,
    serverURL: baseUrl,
    ...(fetch !== undefined && { httpClient: new HTTPClient({ fetcher: fetch }) }),
    retryConfig:
      ownRetries === 'off'
        ? { strategy: 'none' }
        : {
            strategy: 'backoff',
            backoff: { initialInterval: 500, maxInterval: 5_000, exponent: 1.5, maxElapsedTime: 30_000 },
            retryConnectionErrors: true,
          },
  });
}

export const mistral: readonly Library[] = [
  {
    name: 'mistral chat',
    api: 'chat',
    isStreamed: false,
    retry: standard,
    async run(question) {
      const { choices } = await client(question).chat.complete(request);
      const content = choices[0]?.message?.content;
      return typeof content === 'string' ? content : '';
    },
  },
  {
    name: 'mistral chat stream',
    api: 'chat',
    isStreamed: true,
    retry: standard,
    run: async (question) =>
      joined(await client(question).chat.stream(request), ({ data }) => {
        const content = data.choices[0]?.delta.content;
        return typeof content === 'string' ? content : '';
      }),
  },
];
