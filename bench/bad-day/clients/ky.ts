import ky, { type Options } from 'ky';
import { type Client, defaultsAndBest, PATIENCE, type Program } from '../client.ts';
import { overFetch } from './chat-by-hand.ts';

const overKy = (origin: string, options?: Options): Program =>
  overFetch(origin, (url, init) => ky(url, { ...init, ...options }));

/** A POST is not retried by default. */
const best: Options = {
  timeout: false,
  retry: { limit: PATIENCE.retries, methods: ['post'], backoffLimit: PATIENCE.longestDelayMs },
};
export default {
  name: 'ky',
  package: 'ky',
  api: 'chat',
  documentation: 'https://github.com/sindresorhus/ky#retry',
  settings: defaultsAndBest(overKy, best),
} satisfies Client;
