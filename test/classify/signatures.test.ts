import { expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';

test.each<[provider: string | undefined, status: number, headers: Record<string, string>, body: string]>([
  ['anthropic', 429, { 'anthropic-ratelimit-requests-limit': '50' }, ''],
  ['anthropic', 500, { 'anthropic-organization-id': 'x' }, ''],
  ['azure', 500, { 'x-ms-region': 'x' }, ''],
  ['azure', 500, { 'azureml-model-session': 'x' }, ''],
  ['openai', 500, { 'openai-organization': 'x' }, ''],
  ['openai', 500, { 'openai-version': 'x' }, ''],
  ['bedrock', 500, { 'x-amzn-errortype': 'x' }, ''],
  ['openrouter', 500, { 'x-openrouter-request-id': 'x' }, ''],
  ['groq', 500, { 'x-groq-id': 'x' }, ''],
  ['mistral', 500, { 'x-mistral-correlation-id': 'x' }, ''],
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
])('%s is recognised in a response with the status %i', (provider, status, headers, body) => {
  expect(classify({ status, headers, body: body === '' ? '{"message":"m"}' : body })?.provider).toBe(provider);
});

test.each([
  ['azure', 'For more, please visit https://aka.ms/oai/quotaincrease.'],
  ['azure', 'Your call to Azure OpenAI has exceeded its limit.'],
  ['openai', 'Contact us through https://help.openai.com.'],
  ['google', 'See https://ai.google.dev/gemini-api/docs/rate-limits.'],
  ['openrouter', 'Add credits at https://openrouter.ai/settings/credits.'],
  ['groq', 'Upgrade at https://console.groq.com/settings/billing.'],
  ['mistral', 'See https://docs.mistral.ai.'],
  ['xai', 'Create one at https://console.x.ai.'],
  ['xai', 'See https://grok.com.'],
  ['cohere', 'You are using a Trial key, which is limited to 10 calls a minute.'],
  ['cohere', 'See https://dashboard.cohere.com.'],
  ['together', 'See https://api.together.ai/settings/billing.'],
  ['together', 'See https://api.together.xyz.'],
  ['deepseek', 'See https://platform.deepseek.com.'],
  ['ollama', "model 'x' not found, try pulling it first"],
  ['ollama', 'server busy, please try again. maximum pending requests exceeded'],
  ['envoy', 'upstream connect error or disconnect/reset before headers'],
  ['envoy', 'no healthy upstream'],
  ['envoy', 'upstream request timeout'],
  [undefined, 'The server had an error.'],
])('%s is recognised by the message "%s"', (provider, message) => {
  expect(classify({ status: 500, body: JSON.stringify({ message }) })?.provider).toBe(provider);
});

test('a header overrides a message that names another provider', () => {
  const body = JSON.stringify({ message: 'See https://platform.openai.com/docs' });
  const headers = { 'x-openrouter-request-id': 'x' };
  expect(classify({ status: 401, body })?.provider).toBe('openai');
  expect(classify({ status: 401, headers, body })?.provider).toBe('openrouter');
});

test.each([
  ['cloudflare', 520, 'cloudflare'],
  ['cloudflare', 530, 'cloudflare'],
  [undefined, 519, 'cloudflare'],
  [undefined, 531, 'cloudflare'],
  [undefined, 521, 'nginx'],
])('%s is recognised if the status is %i and the server %s', (provider, status, server) => {
  expect(classify({ status, headers: { server }, body: '{"message":"m"}' })?.provider).toBe(provider);
  expect(classify({ status, headers: { server } })?.provider).toBe(provider);
});

test('a request id of Anthropic identifies it without a body, and no other id does', () => {
  expect(classify({ status: 529, headers: { 'request-id': 'req_011' } })?.provider).toBe('anthropic');
  expect(classify({ status: 529, headers: { 'request-id': 'x-req_011' } })?.provider).toBeUndefined();
});

test('an error of an SDK shows the provider by its headers or its message', () => {
  const headers = { 'x-groq-id': 'x' };
  expect(classify({ error: Object.assign(new Error('m'), { status: 500, headers }) })?.provider).toBe('groq');
  const message = 'See https://platform.openai.com/docs';
  expect(classify({ error: Object.assign(new Error(message), { status: 401 }) })?.provider).toBe('openai');
});
