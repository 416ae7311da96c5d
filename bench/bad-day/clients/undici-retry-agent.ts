import { Agent, request, RetryAgent, type RetryHandler } from 'undici';
import { type Client, defaultsAndBest, PATIENCE, type Program } from '../client.ts';
import { chatHeaders, overFetch } from './chat-by-hand.ts';

function overAgent(origin: string, options?: RetryHandler.RetryOptions): Program {
  const dispatcher = new RetryAgent(new Agent(), options);
  return overFetch(origin, async (url, init) => {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: chatHeaders,
      body: String(init.body),
      dispatcher,
    });
    return {
      ok: statusCode < 300,
      status: statusCode,
      body,
      text: () => body.text(),
      json: () => body.json(),
    } as never;
  });
}

/** A POST is not retried by default. */
const best: RetryHandler.RetryOptions = {
  maxRetries: PATIENCE.retries,
  minTimeout: PATIENCE.firstDelayMs,
  maxTimeout: PATIENCE.longestHintMs,
  methods: ['POST'],
  statusCodes: [429, 500, 502, 503, 504, 529],
};
export default {
  name: 'undici RetryAgent',
  package: 'undici',
  api: 'chat',
  documentation: 'https://undici.nodejs.org (RetryHandler)',
  settings: defaultsAndBest(overAgent, best),
} satisfies Client;
