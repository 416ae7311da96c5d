import fetchRetry, { type RequestInitRetryParams } from 'fetch-retry';
import { type Client, PATIENCE, type Program } from '../client.ts';
import { chatInit, chatUrl, readChat, toolInit } from './chat-by-hand.ts';

function overFetchRetry(origin: string, params?: RequestInitRetryParams<typeof fetch>): Program {
  const send = fetchRetry(fetch, params);
  return {
    ask: async (question) => readChat(await send(chatUrl(origin), chatInit(question)), question),
    callTool: async (body) => (await send(`${origin}/mcp`, toolInit(body))).text(),
  };
}

/** Its README's exponential backoff, the statuses that the SDKs retry, and the header of the response that it passes. */
const best: RequestInitRetryParams<typeof fetch> = {
  retries: PATIENCE.retries,
  retryOn: [408, 409, 429, 500, 502, 503, 504, 529],
  retryDelay: (attempt, _error, response) =>
    Number(response?.headers.get('retry-after')) * 1_000 ||
    Math.min(2 ** attempt * PATIENCE.firstDelayMs, PATIENCE.longestDelayMs),
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
