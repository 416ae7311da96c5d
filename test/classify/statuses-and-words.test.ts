/** What a status hides, of any provider. */

import { expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { describeCases } from './cases.ts';

const openAi = (message: string, code: string | null = null, type = 'invalid_request_error'): unknown => ({
  error: { message, type, param: null, code },
});
const problem = (status: number, name: string): unknown => ({
  title: `Error ${status}`,
  status,
  detail: 'The origin timed out, or was not reachable.',
  error_code: status,
  error_name: name,
  cloudflare_error: true,
});

const provider = 'cloudflare';

describeCases('Cloudflare in front of an origin', {
  provider_unavailable: {
    520: [520, problem(520, 'origin'), { provider }],
    521: [521, problem(521, 'origin'), { provider }],
    523: [523, problem(523, 'origin'), { provider }],
    525: [525, problem(525, 'origin'), { provider }],
    'a certificate that is wrong': [526, problem(526, 'origin'), { provider, retryable: false }],
    527: [527, problem(527, 'origin'), { provider }],
  },
  timeout: { 522: [522, problem(522, 'origin'), { provider }], 524: [524, problem(524, 'origin'), { provider }] },
});

describeCases('a status that hides what the body says', {
  quota_exhausted: {
    'a quota, as a refusal of the key': [401, openAi('You have no quota left.', 'insufficient_quota')],
  },
  billing_error: { 'a bill, as a refusal of access': [403, openAi('Account overdue.', 'billing_not_active')] },
  auth_invalid: {
    'a key, as an error of the server': [500, openAi('Invalid or unrecognized token', null, 'server_error')],
    'a key that a relay was not given, as its unavailability': [503, { error: 'ANTHROPIC_API_KEY is not set' }],
  },
  invalid_request: {
    'a model that does not fit into memory, as an error of the server': [
      500,
      { error: 'model requires more system memory (9.1 GiB) than is available (5.6 GiB)' },
    ],
  },
});

const limit = (limited: string, requested: string): string =>
  `Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit ${limited}, Requested ${requested}.`;

describeCases('a request above the limit', {
  context_too_long: {
    'that a minute admits': [429, openAi(limit('30000', '30610'), 'rate_limit_exceeded', 'tokens')],
    'that a minute admits, with commas': [429, openAi(limit('30,000', '1,030,610'), 'rate_limit_exceeded', 'tokens')],
  },
  rate_limit: {
    'that is none: it fits once others are over': [
      429,
      openAi(
        'Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.',
        'rate_limit_exceeded',
        'tokens',
      ),
      { afterMs: 2_000 },
    ],
  },
});

test.each([
  '{"error":{"message":"Invalid URL (POST /chat/completions)","type":"invalid_request_error","param":null,"code":null}}',
  '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body></html>',
  '<!DOCTYPE html><html><body><pre>Cannot POST /chat/completions</pre></body></html>',
  '{"detail":"Not Found"}',
  '404 page not found',
  '',
])('a 404 that names no model is a wrong address: %s', (body) => {
  const failure = classify({ status: 404, body });
  expect(failure).toMatchObject({ type: 'invalid_request', retryable: false });
  expect(failure?.action).toMatch(/URL.*\/v1/);
});

test('a stream that begins as an error and breaks off is retried only if its text allows it', () => {
  const read = (data: string) =>
    classify({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: `data: ${data}\n\n` });
  expect(read('{"error": {"message": "Rate limit rea')).toMatchObject({ type: 'rate_limit', retryable: true });
  expect(read('{"error": {"message": "This')).toMatchObject({ type: 'server_error', retryable: false });
});

test.each<[status: number, words: string, type: string]>([
  [403, 'Not authenticated', 'auth_invalid'],
  [403, 'Could not validate credentials', 'auth_invalid'],
  [400, 'missing authorization header', 'auth_invalid'],
  [403, 'Token has expired', 'auth_invalid'],
  [403, 'The signature we calculated does not match the signature you provided.', 'auth_invalid'],
  [400, 'This feature is not available in your region', 'permission_denied'],
  [403, 'This model is not available in your subscription tier', 'permission_denied'],
  [403, 'Your free trial has ended.', 'billing_error'],
  [400, 'The prompt violates our guidelines', 'content_policy'],
  [400, 'Your current safety filter threshold prohibited one or more words', 'content_policy'],
  [422, 'NSFW content detected', 'content_policy'],
  [400, "You don't have access to this model or the model name is invalid", 'model_not_found'],
])('a %i with the words "%s"', (status, message, type) => {
  expect(classify({ status, body: JSON.stringify({ message }) })).toMatchObject({ type, retryable: false });
});

test('a description counts if the message is vague', () => {
  const body = JSON.stringify({ code: '900514', message: 'Runtime Error', description: 'Violation of a guardrail' });
  expect(classify({ status: 446, body })).toMatchObject({ type: 'content_policy', retryable: false });
});
