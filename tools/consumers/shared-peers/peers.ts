/** The entries that need an optional peer: one retried call over each, in the installed version. */

import { setupServer } from 'msw/node';
import { createRetryFetch } from 'retry-transport';
import { completions, replay } from 'retry-transport/mocks';
import { instrument } from 'retry-transport/otel';
import { createUndiciFetch } from 'retry-transport/undici';
import { startModelServer } from './model-server.js';

const config = { baseDelayMs: 1, maxDelayMs: 10 };

async function overMsw(): Promise<number> {
  const url = 'https://api.anthropic.com/v1/messages';
  const handler = replay(url, 'anthropic-529-overloaded-details-null', completions.anthropicStream('Hello'));
  const server = setupServer(handler);
  server.listen();
  try {
    const response = await createRetryFetch(config)(url, { method: 'POST', body: '{}' });
    await response.text();
    return response.ok ? handler.requests.length : 0;
  } finally {
    server.close();
  }
}

async function overUndici(): Promise<number> {
  const server = await startModelServer([{ 'retry-after-ms': '1' }]);
  const fetch = createUndiciFetch({ connections: 1 });
  try {
    const response = await createRetryFetch({ fetch, ...config })(server.url, { method: 'POST', body: '{}' });
    await response.text();
    return response.ok ? server.requests() : 0;
  } finally {
    await fetch.close();
    server.close();
  }
}

async function overTelemetry(): Promise<number> {
  const answers = [new Response('{}', { status: 503 }), new Response('{}')];
  const response = await instrument({ fetch: async () => answers.shift() ?? Response.error(), ...config })(
    'https://example.test/',
  );
  return response.ok ? 2 - answers.length : 0;
}

for (const call of [overMsw, overUndici, overTelemetry]) {
  const requests = await call();
  if (requests !== 2) throw new Error(`${call.name}: expected 2 requests and an answer, got ${requests}.`);
  console.log(`answered: ${call.name}`);
}
