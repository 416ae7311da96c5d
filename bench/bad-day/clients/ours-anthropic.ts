import { createRetryFetch, presets, createGate } from '../../../src/index.ts';
import type { Client } from '../client.ts';
import { anthropicMessages } from './anthropic.ts';

/** As README prints it. */
const README = {
  ...presets.recommended,
  maxRetryAfterMs: 540_000,
  answers: { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
};

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
      create: (origin) =>
        anthropicMessages(origin, { fetch: createRetryFetch({ ...presets.fleet, gate: createGate() }), maxRetries: 0 }),
    },
  ],
} satisfies Client;
