import fetchRetry, { type RequestInitRetryParams } from 'fetch-retry';
import { type Client, defaultsAndBest, PATIENCE, type Program } from '../client.ts';
import { overFetch } from './chat-by-hand.ts';

const overFetchRetry = (origin: string, params?: RequestInitRetryParams<typeof fetch>): Program =>
  overFetch(origin, fetchRetry(fetch, params));

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
  settings: defaultsAndBest(overFetchRetry, best),
} satisfies Client;
