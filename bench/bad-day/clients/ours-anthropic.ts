import type { Client } from '../client.ts';
import { ours } from '../ours.ts';
import { anthropicMessages } from './anthropic.ts';

export default {
  name: 'retry-transport + @anthropic-ai/sdk',
  api: 'messages',
  ...ours((origin, fetch) => anthropicMessages(origin, { fetch, maxRetries: 0 }), { maxRetryAfterMs: 540_000 }),
} satisfies Client;
