import type { Client } from '../client.ts';
import { ours } from '../ours.ts';
import { openaiChat } from './openai.ts';

export default {
  name: 'retry-transport + openai',
  api: 'chat',
  ...ours((origin, fetch) => openaiChat(origin, { fetch, maxRetries: 0 })),
} satisfies Client;
