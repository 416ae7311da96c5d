import { createRetryFetch, presets, createGate } from '../../../src/index.ts';
import type { Client } from '../client.ts';
import { askModel, chatModel } from './ai-sdk.ts';

/** As README prints it. */
const README = {
  ...presets.recommended,
  answers: { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
};

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
        const model = chatModel(origin, { fetch: createRetryFetch({ ...presets.fleet, gate: createGate() }) });
        return { ask: (question) => askModel(model, question, 0) };
      },
    },
  ],
} satisfies Client;
