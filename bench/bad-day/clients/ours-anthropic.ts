import { createRetryFetch, presets } from '../../../src/index.ts';
import type { Client } from '../client.ts';
import { anthropicMessages } from './anthropic.ts';

export default {
  name: 'retry-transport under @anthropic-ai/sdk',
  package: 'retry-transport',
  api: 'messages',
  documentation: 'README.md',
  isOurs: true,
  settings: [
    {
      name: 'as README prints it',
      create: (origin) => anthropicMessages(origin, { fetch: createRetryFetch(), maxRetries: 0 }),
    },
    {
      name: 'fleet',
      create: (origin) => anthropicMessages(origin, { fetch: createRetryFetch(presets.fleet()), maxRetries: 0 }),
    },
  ],
} satisfies Client;
