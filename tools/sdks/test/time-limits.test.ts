import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRetryFetch } from '../../../src/index.ts';
import { type ApiServer, startApiServer } from '../api-server.ts';
import { anthropic } from '../clients/anthropic.ts';
import { googleGenAI } from '../clients/google-genai.ts';
import { kyChat } from '../clients/ky.ts';
import { langchain } from '../clients/langchain.ts';
import { openaiChat } from '../clients/openai.ts';
import { outage } from '../situations.ts';

// A time limit of an SDK starts when it calls fetch, and so it counts our waits. Each of these waits half a minute or more.

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer(Date.now);
});
afterAll(() => server.close());

test.concurrent.each([openaiChat, anthropic, googleGenAI, langchain, kyChat])(
  'the time limit of $name cuts a wait of ours',
  async (client) => {
    const { baseUrl, requests } = server.play(...outage.steps[client.api]);
    const ends: string[] = [];
    const fetch = createRetryFetch({ baseDelayMs: 30_000, onEvent: ({ type }) => ends.push(type) });
    const startedAt = performance.now();
    await expect(client.ask({ baseUrl, fetch, ownRetries: 'off', timeoutMs: 2_000 })).rejects.toThrow(/time|abort/i);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(ends).toEqual(['retry', 'cancelled']);
    expect(requests).toHaveLength(1);
  },
);
