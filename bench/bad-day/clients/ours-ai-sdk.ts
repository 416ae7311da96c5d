import { createRetryFetch, createStreamWatch, presets } from '../../../src/index.ts';
import type { Client } from '../client.ts';
import { askModel, chatModel } from './ai-sdk.ts';

/** As README prints it. */
const README = { baseDelayMs: 500, maxRetries: 8, maxRetryAfterMs: 120_000, streamWatch: createStreamWatch() };

export default {
  name: 'retry-transport + ai',
  package: 'retry-transport',
  api: 'chat',
  documentation: 'README.md',
  isOurs: true,
  settings: [
    {
      name: 'as README prints it',
      create(origin) {
        const model = chatModel(origin, { fetch: createRetryFetch(README) });
        return { ask: (question) => askModel(model, question, 0) };
      },
    },
    {
      name: 'fleet',
      create(origin) {
        const model = chatModel(origin, { fetch: createRetryFetch(presets.fleet()) });
        return { ask: (question) => askModel(model, question, 0) };
      },
    },
  ],
} satisfies Client;
