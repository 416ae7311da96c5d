import ky, { type Options } from 'ky';
import { type Client, PATIENCE, type Program } from '../client.ts';
import { chatInit, chatUrl, readChat, toolInit } from './chat-by-hand.ts';

function overKy(origin: string, options: Options): Program {
  return {
    ask: async (question) => readChat(await ky(chatUrl(origin), { ...chatInit(question), ...options }), question),
    callTool: (body) => ky(`${origin}/mcp`, { ...toolInit(body), ...options }).text(),
  };
}

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
  settings: [
    { name: 'defaults', create: (origin) => overKy(origin, {}) },
    { name: 'best', create: (origin) => overKy(origin, best) },
  ],
} satisfies Client;
