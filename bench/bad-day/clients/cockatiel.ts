import { ExponentialBackoff, handleAll, handleWhen, type Policy, retry } from 'cockatiel';
import { type Client, PATIENCE, type Program } from '../client.ts';
import { chatInit, chatUrl, readChat, toolInit } from './chat-by-hand.ts';

class HttpError extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(`HTTP ${status}: ${text}`);
    this.status = status;
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok) throw new HttpError(response.status, await response.text());
  return response;
}

function overPolicy(origin: string, policy: Policy, maxAttempts: number, waits = {}): Program {
  const retrying = retry(policy, { maxAttempts, backoff: new ExponentialBackoff(waits) });
  return {
    ask: async (question) =>
      question.isStreamed
        ? readChat(await retrying.execute(() => send(chatUrl(origin), chatInit(question))), question)
        : retrying.execute(async () => readChat(await send(chatUrl(origin), chatInit(question)), question)),
    callTool: (body) => retrying.execute(() => send(`${origin}/mcp`, toolInit(body))),
  };
}

const worthRetrying = handleWhen(
  (error) => !(error instanceof HttpError) || error.status === 429 || error.status >= 500,
);
const WAITS = { initialDelay: PATIENCE.firstDelayMs, maxDelay: PATIENCE.longestDelayMs };
export default {
  name: 'cockatiel',
  package: 'cockatiel',
  api: 'chat',
  documentation: 'https://github.com/connor4312/cockatiel#retry',
  settings: [
    { name: 'defaults', create: (origin) => overPolicy(origin, handleAll, 3) },
    { name: 'best', create: (origin) => overPolicy(origin, worthRetrying, PATIENCE.retries, WAITS) },
  ],
} satisfies Client;
