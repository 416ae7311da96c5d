import type { Client } from '../client.ts';
import { ours } from '../ours.ts';
import { askModel, chatModel } from './ai-sdk.ts';

export default {
  name: 'retry-transport + ai',
  api: 'chat',
  ...ours((origin, fetch) => ({
    ask: (question) => askModel(chatModel(origin, { fetch }), question, { maxRetries: 0 }),
  })),
} satisfies Client;
