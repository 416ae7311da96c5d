import { createRetryFetch, createStreamWatch, presets } from '../../../src/index.ts';
import type { Client } from '../client.ts';
import { anthropicMessages } from './anthropic.ts';

/** As README prints it. */
const README = { baseDelayMs: 500, maxRetries: 8, maxRetryAfterMs: 540_000, streamWatch: createStreamWatch() };

export default {
  name: 'retry-transport + @anthropic-ai/sdk',
  package: 'retry-transport',
  api: 'messages',
  documentation: 'README.md',
  isOurs: true,
  settings: [
    {
      name: 'as README prints it',
      create: (origin) => anthropicMessages(origin, { fetch: createRetryFetch(README), maxRetries: 0 }),
    },
    {
      name: 'fleet',
      create: (origin) => anthropicMessages(origin, { fetch: createRetryFetch(presets.fleet()), maxRetries: 0 }),
    },
  ],
} satisfies Client;
