import { ExponentialBackoff, handleAll, handleWhen, type Policy, retry } from 'cockatiel';
import type { Client, Program } from '../client.ts';
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

function overPolicy(origin: string, policy: Policy, maxAttempts: number): Program {
  const retrying = retry(policy, { maxAttempts, backoff: new ExponentialBackoff() });
  return {
    ask: async (question) =>
      readChat(await retrying.execute(() => send(chatUrl(origin), chatInit(question))), question),
    callTool: (body) => retrying.execute(() => send(`${origin}/mcp`, toolInit(body))),
  };
}

const worthRetrying = handleWhen(
  (error) => !(error instanceof HttpError) || error.status === 429 || error.status >= 500,
);
export default {
  name: 'cockatiel',
  package: 'cockatiel',
  api: 'chat',
  documentation: 'https://github.com/connor4312/cockatiel#retry',
  settings: [
    { name: 'defaults', create: (origin) => overPolicy(origin, handleAll, 3) },
    { name: 'best', create: (origin) => overPolicy(origin, worthRetrying, 8) },
  ],
} satisfies Client;
