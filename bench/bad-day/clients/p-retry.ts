import pRetry, { AbortError, type Options } from 'p-retry';
import { type Client, defaultsAndBest, PATIENCE, type Program } from '../client.ts';
import { overRepeat } from './chat-by-hand.ts';

/** By its README: throw an AbortError where a retry cannot help, here for a 4xx other than 408 and 429. */
async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok) return response;
  const message = `HTTP ${response.status}: ${await response.text()}`;
  const isFinal = response.status < 500 && response.status !== 408 && response.status !== 429;
  throw isFinal ? new AbortError(message) : new Error(message);
}

const byTheBook = (origin: string, options: Options = {}): Program =>
  overRepeat(origin, (work) => pRetry(work, options), send);

const WAITS: Options = {
  retries: PATIENCE.retries,
  minTimeout: PATIENCE.firstDelayMs,
  maxTimeout: PATIENCE.longestDelayMs,
  randomize: true,
};

export default {
  name: 'p-retry',
  package: 'p-retry',
  api: 'chat',
  documentation: 'https://github.com/sindresorhus/p-retry#usage',
  settings: defaultsAndBest(byTheBook, WAITS),
} satisfies Client;
