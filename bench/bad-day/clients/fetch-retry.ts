import fetchRetry, { type RequestInitRetryParams } from 'fetch-retry';
import type { Client, Program } from '../client.ts';
import { chatInit, chatUrl, readChat, toolInit } from './chat-by-hand.ts';

function overFetchRetry(origin: string, params?: RequestInitRetryParams<typeof fetch>): Program {
  const send = fetchRetry(fetch, params);
  return {
    ask: async (question) => readChat(await send(chatUrl(origin), chatInit(question)), question),
    callTool: async (body) => (await send(`${origin}/mcp`, toolInit(body))).text(),
  };
}

/** Its README's exponential backoff, and the statuses that the SDKs retry. */
const best: RequestInitRetryParams<typeof fetch> = {
  retries: 6,
  retryOn: [408, 409, 429, 500, 502, 503, 504, 529],
  retryDelay: (attempt) => 2 ** attempt * 1_000,
};
export default {
  name: 'fetch-retry',
  package: 'fetch-retry',
  api: 'chat',
  documentation: 'https://github.com/jonbern/fetch-retry#readme',
  settings: [
    { name: 'defaults', create: (origin) => overFetchRetry(origin) },
    { name: 'best', create: (origin) => overFetchRetry(origin, best) },
  ],
} satisfies Client;
