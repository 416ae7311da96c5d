import { expect, test } from 'vitest';
import { classify } from '../../src/classify/index.ts';

test.each<[provider: string | undefined, status: number, headers: Record<string, string>, body: string]>([
  ['anthropic', 429, { 'anthropic-ratelimit-requests-limit': '50' }, ''],
  [
    'anthropic',
    400,
    { 'request-id': 'req_011' },
    '{"type":"error","error":{"type":"invalid_request_error","message":"m"}}',
  ],
  ['anthropic', 529, {}, '{"type":"error","error":{"type":"overloaded_error","message":"m"},"request_id":"req_1"}'],
  [undefined, 529, {}, '{"type":"error","error":{"type":"overloaded_error","message":"m"}}'],
  ['openai', 500, { 'openai-processing-ms': '4' }, '{"error":{"message":"m"}}'],
  ['openai', 401, {}, '{"error":{"message":"Incorrect API key. See https://platform.openai.com/account/api-keys."}}'],
  ['azure', 429, { 'apim-request-id': 'a', 'openai-processing-ms': '4' }, '{"error":{"message":"m"}}'],
  ['google', 400, {}, '{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}'],
  ['bedrock', 400, { 'x-amzn-requestid': '1' }, '{"message":"m"}'],
  ['openrouter', 429, {}, '{"error":{"message":"m","code":429,"metadata":{"provider_name":"OpenAI"}}}'],
  ['groq', 429, { 'x-groq-region': 'us' }, '{"error":{"message":"m"}}'],
  ['mistral', 429, { 'mistral-correlation-id': '1' }, '{"message":"m"}'],
  ['cloudflare', 521, { server: 'cloudflare' }, 'error code: 521'],
  [undefined, 401, { server: 'cloudflare' }, '{"error":{"message":"m"}}'],
  [undefined, 500, {}, '{"message":"m"}'],
  [undefined, 503, {}, '<html><title>503</title></html>'],
])('%s answered %i', (provider, status, headers, body) => {
  expect(classify({ status, headers, body: body === '' ? '{"message":"m"}' : body })?.provider).toBe(provider);
});
