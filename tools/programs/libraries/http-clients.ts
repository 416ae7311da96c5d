/** HTTP clients, with the few lines that a program writes around them. */

import axios from 'axios';
import ky from 'ky';
import { createFetch } from 'ofetch';
import { recommended, standard } from '../../sdks/recommended.ts';
import { API_KEY, fetchOf, type Library, PROMPT } from './library.ts';

interface Completion {
  readonly choices: readonly { readonly message?: { readonly content: string } }[];
}

const request = { model: 'gpt-5', messages: [{ role: 'user', content: PROMPT }] };
const headers = { authorization: `Bearer ${API_KEY}` };

export const httpClients: readonly Library[] = [
  {
    name: 'ky',
    api: 'chat',
    isStreamed: false,
    retry: recommended.ky,
    async run(question) {
      const completion = await ky
        .post(`${question.baseUrl}/v1/chat/completions`, {
          json: request,
          headers,
          timeout: false,
          // Does not retry a POST by default.
          retry: question.ownRetries === 'off' ? 0 : { methods: ['post'] },
          ...fetchOf(question),
        })
        .json<Completion>();
      return contentOf(completion);
    },
  },
  {
    name: 'ofetch',
    api: 'chat',
    isStreamed: false,
    retry: standard,
    async run(question) {
      const client = createFetch(question.fetch === undefined ? {} : { fetch: question.fetch });
      const completion = await client<Completion>(`${question.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        body: request,
        headers,
        // Does not retry a POST by default.
        retry: question.ownRetries === 'off' ? 0 : 3,
      });
      return contentOf(completion);
    },
  },
  {
    name: 'axios',
    api: 'chat',
    isStreamed: false,
    retry: standard,
    async run(question) {
      const { data } = await axios.post<Completion>(`${question.baseUrl}/v1/chat/completions`, request, {
        headers,
        ...(question.fetch !== undefined && { adapter: 'fetch', env: { fetch: question.fetch } }),
      });
      return contentOf(data);
    },
  },
];

function contentOf(completion: Completion): string {
  return completion.choices[0]?.message?.content ?? '';
}
