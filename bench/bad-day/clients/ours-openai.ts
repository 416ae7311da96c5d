import { createRetryFetch, presets, createGate } from '../../../src/index.ts';
import type { Client } from '../client.ts';
import { openaiChat } from './openai.ts';

/** As README prints it. */
const README = {
  ...presets.recommended,
  answers: { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
};

export default {
  name: 'retry-transport + openai',
  package: 'retry-transport',
  api: 'chat',
  documentation: 'README.md',
  isOurs: true,
  settings: [
    {
      name: 'as README prints it',
      create: (origin) => openaiChat(origin, { fetch: createRetryFetch(README), maxRetries: 0 }),
    },
    {
      name: 'fleet',
      create: (origin) =>
        openaiChat(origin, { fetch: createRetryFetch({ ...presets.fleet, gate: createGate() }), maxRetries: 0 }),
    },
    {
      name: 'job',
      create: (origin) =>
        openaiChat(origin, {
          fetch: createRetryFetch({ ...presets.background, attemptTimeoutMs: 60_000, answers: { holdUntil: 'end' } }),
          maxRetries: 0,
        }),
    },
  ],
} satisfies Client;
