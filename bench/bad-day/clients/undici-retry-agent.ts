import { Agent, request, RetryAgent, type RetryHandler } from 'undici';
import { type Client, PATIENCE, type Program, type Question } from '../client.ts';
import { chatBody, chatHeaders, chatUrl, readChat } from './chat-by-hand.ts';

function overAgent(origin: string, options?: RetryHandler.RetryOptions): Program {
  const dispatcher = new RetryAgent(new Agent(), options);
  const post = async (url: string, sent: string): Promise<Response> => {
    const { statusCode, body } = await request(url, { method: 'POST', headers: chatHeaders, body: sent, dispatcher });
    return {
      ok: statusCode < 300,
      status: statusCode,
      body,
      text: () => body.text(),
      json: () => body.json(),
    } as never;
  };
  return {
    ask: async (question: Question) => readChat(await post(chatUrl(origin), chatBody(question)), question),
    callTool: async (body) => (await post(`${origin}/mcp`, body)).text(),
  };
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
  settings: [
    { name: 'defaults', create: (origin) => overAgent(origin) },
    { name: 'best', create: (origin) => overAgent(origin, best) },
  ],
} satisfies Client;
