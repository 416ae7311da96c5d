import { Agent, fetch, RetryAgent, type RetryHandler } from 'undici';
import type { Client, Program, Question } from '../client.ts';
import { chatBody, chatHeaders, chatUrl, readChat } from './chat-by-hand.ts';

function overAgent(origin: string, options?: RetryHandler.RetryOptions): Program {
  const dispatcher = new RetryAgent(new Agent(), options);
  const post = (url: string, body: string) => fetch(url, { method: 'POST', headers: chatHeaders, body, dispatcher });
  return {
    ask: async (question: Question) =>
      readChat((await post(chatUrl(origin), chatBody(question))) as unknown as Response, question),
    callTool: async (body) => (await post(`${origin}/mcp`, body)).text(),
  };
}

/** A POST is not retried by default. */
const best: RetryHandler.RetryOptions = {
  maxRetries: 6,
  maxTimeout: 60_000,
  methods: ['POST'],
  statusCodes: [429, 500, 502, 503, 504, 529],
};
export default {
  name: 'undici RetryAgent',
  package: 'undici',
  api: 'chat',
  documentation: 'https://undici.nodejs.org (RetryHandler)',
  settings: [
    { name: 'defaults', create: (origin) => overAgent(origin) },
    { name: 'best', create: (origin) => overAgent(origin, best) },
  ],
} satisfies Client;
