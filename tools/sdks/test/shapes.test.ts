/** The errors of real SDKs, thrown for a real response: they are read like that response, also in a wrapper. */

import { ConnectError, Code } from '@connectrpc/connect';
import { createDefaultHttpClient, createPipelineRequest, RestError } from '@azure/core-rest-pipeline';
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { InferenceClient } from '@huggingface/inference';
import { Mistral } from '@mistralai/mistralai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { TRPCClientError } from '@trpc/client';
import { generateText } from 'ai';
import { CohereClientV2 } from 'cohere-ai';
import Groq from 'groq-sdk';
import ky from 'ky';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { classify } from '../../../src/index.ts';
import { type Served, serve } from '../../../test/serve.ts';

const ANSWERS = {
  'a used-up quota': [429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }],
  'a rate limit': [429, { message: 'Rate limit reached', type: 'rate_limit_error' }],
  'an overload': [529, { message: 'Overloaded', type: 'overloaded_error' }],
  'a wrong key': [401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }],
} as const;

let answer: readonly [status: number, error: object] = ANSWERS['a rate limit'];
let url = '';
let server: Served | undefined;

beforeAll(async () => {
  server = await serve((_request, response) =>
    response.writeHead(answer[0], { 'content-type': 'application/json' }).end(JSON.stringify({ error: answer[1] })),
  );
  url = server.origin;
});
afterAll(() => server?.close());

const messages = [{ role: 'user' as const, content: 'x' }];
const model = 'm';
const apiKey = 'k';
const maxRetries = 0;

const CALLS: Readonly<Record<string, () => PromiseLike<unknown>>> = {
  openai: () => new OpenAI({ apiKey, baseURL: url, maxRetries }).chat.completions.create({ model, messages }),
  '@anthropic-ai/sdk': () =>
    new Anthropic({ apiKey, baseURL: url, maxRetries }).messages.create({ model, max_tokens: 1, messages }),
  ai: () => generateText({ model: createOpenAI({ apiKey, baseURL: url }).chat(model), prompt: 'x', maxRetries }),
  'ai, after a retry of its own': () =>
    generateText({ model: createOpenAI({ apiKey, baseURL: url }).chat(model), prompt: 'x', maxRetries: 1 }),
  '@google/genai': () =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } }).models.generateContent({
      model,
      contents: 'x',
    }),
  '@aws-sdk/client-bedrock-runtime': () =>
    new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: url,
      credentials: { accessKeyId: 'A', secretAccessKey: 'b' },
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler(),
    }).send(new ConverseCommand({ modelId: model, messages: [{ role: 'user', content: [{ text: 'x' }] }] })),
  '@azure/core-rest-pipeline': async () => {
    const request = createPipelineRequest({ url, method: 'POST', body: '{}', allowInsecureConnection: true });
    const response = await createDefaultHttpClient().sendRequest(request);
    throw new RestError('Unexpected status code', { statusCode: response.status, request, response });
  },
  'cohere-ai': () => new CohereClientV2({ token: apiKey, environment: url }).chat({ model, messages }, { maxRetries }),
  ollama: () => new Ollama({ host: url }).chat({ model, messages }),
  '@huggingface/inference': () =>
    new InferenceClient('hf_x', { endpointUrl: url }).chatCompletion({ model, messages }, { retry_on_error: false }),
  '@mistralai/mistralai': () =>
    new Mistral({ apiKey, serverURL: url, retryConfig: { strategy: 'none' } }).chat.complete({ model, messages }),
  'groq-sdk': () => new Groq({ apiKey, baseURL: url, maxRetries }).chat.completions.create({ model, messages }),
};

async function thrownBy(call: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return error;
  }
}

test.each(Object.keys(CALLS).flatMap((sdk) => Object.keys(ANSWERS).map((name) => [sdk, name] as const)))(
  'an error of %s for %s is read like the response',
  async (sdk, name) => {
    answer = ANSWERS[name as keyof typeof ANSWERS];
    const body = JSON.stringify({ error: answer[1] });
    const { type, retryable } = classify({ status: answer[0], body }) ?? {};
    const error = await thrownBy(CALLS[sdk] ?? (async () => undefined));
    expect(classify({ error })).toMatchObject({ type, retryable });
    expect(classify({ error: new Error('Request failed', { cause: error }) })).toMatchObject({ type, retryable });
  },
);

test('an error of ky is read by its status', async () => {
  answer = ANSWERS['an overload'];
  const error = await thrownBy(() => ky.post(url, { json: {}, retry: 0 }).json());
  expect(classify({ error })).toMatchObject({ type: 'overloaded', retryable: true });
});

test.each([
  [Code.ResourceExhausted, 'rate_limit'],
  [Code.DeadlineExceeded, 'timeout'],
  [Code.Unauthenticated, 'auth_invalid'],
  [Code.InvalidArgument, 'invalid_request'],
])('a ConnectError with the code %i is %s', (code, type) => {
  expect(classify({ error: new ConnectError('because', code) })?.type).toBe(type);
});

test('the wait in the metadata of a ConnectError counts', () => {
  const error = new ConnectError('slow down', Code.ResourceExhausted, new Headers({ 'retry-after': '2' }));
  expect(classify({ error })).toMatchObject({ type: 'rate_limit', retryAfterMs: 2_000 });
});

test.each([
  ['TOO_MANY_REQUESTS', 429, 'rate_limit'],
  ['UNAUTHORIZED', 401, 'auth_invalid'],
])('an error of tRPC with %s is read by the status in its data', (code, httpStatus, type) => {
  const error = TRPCClientError.from({ error: { message: code, code: -32_000, data: { code, httpStatus } } });
  expect(classify({ error })?.type).toBe(type);
});
