import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { ChatOpenAI } from '@langchain/openai';
import ky from 'ky';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRetryFetch, type RetryFetch } from '../../../src/index.ts';
import { type ApiServer, startApiServer } from '../api-server.ts';
import type { Api } from '../apis.ts';
import { outage } from '../situations.ts';

// A time limit of an SDK starts when it calls fetch, and so it counts our waits. Each of these waits half a minute or more.

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer(Date.now);
});
afterAll(() => server.close());

interface Limited {
  readonly sdk: string;
  readonly api: Api;
  readonly ask: (baseUrl: string, fetch: RetryFetch, timeoutMs: number) => Promise<unknown>;
}

const apiKey = 'sk-loopback';
const messages = [{ role: 'user' as const, content: 'Say hello.' }];

const sdks: readonly Limited[] = [
  {
    sdk: 'openai',
    api: 'chat',
    ask: (baseUrl, fetch, timeout) =>
      new OpenAI({ apiKey, baseURL: `${baseUrl}/v1`, fetch, maxRetries: 0, timeout }).chat.completions.create({
        model: 'gpt-5',
        messages,
      }),
  },
  {
    sdk: '@anthropic-ai/sdk',
    api: 'messages',
    ask: (baseUrl, fetch, timeout) =>
      new Anthropic({ apiKey, baseURL: baseUrl, fetch, maxRetries: 0, timeout }).messages.create({
        model: 'claude-sonnet-5',
        max_tokens: 64,
        messages,
      }),
  },
  {
    sdk: '@google/genai',
    api: 'gemini',
    ask: (baseUrl, fetch, timeout) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl, fetch, timeout } }).models.generateContent({
        model: 'gemini-2.5-flash',
        contents: 'Say hello.',
      }),
  },
  {
    sdk: '@langchain/openai',
    api: 'chat',
    ask: (baseUrl, fetch, timeout) =>
      new ChatOpenAI({
        apiKey,
        model: 'gpt-5',
        maxRetries: 0,
        timeout,
        configuration: { baseURL: `${baseUrl}/v1`, fetch },
      }).invoke('Say hello.'),
  },
  {
    sdk: 'ky',
    api: 'chat',
    ask: (baseUrl, fetch, timeout) =>
      ky
        .post(`${baseUrl}/v1/chat/completions`, {
          headers: { authorization: `Bearer ${apiKey}` },
          json: { model: 'gpt-5', messages },
          fetch,
          retry: 0,
          timeout,
        })
        .json(),
  },
];

test.concurrent.each(sdks)('the time limit of $sdk cuts a wait of ours', async ({ api, ask }) => {
  const { baseUrl, requests } = server.play(...outage.steps[api]);
  const ends: string[] = [];
  const fetch = createRetryFetch({ baseDelayMs: 30_000, onEvent: ({ type }) => ends.push(type) });
  const startedAt = performance.now();
  await expect(ask(baseUrl, fetch, 1_000)).rejects.toThrow(/time|abort/i);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(ends).toEqual(['retry', 'cancelled']);
  expect(requests).toHaveLength(1);
});
