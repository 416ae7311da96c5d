import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { refusalIn } from '../../src/classify/quoted-status.ts';
import { describeCases } from './cases.ts';

const error = (message: string, more: object = {}): unknown => ({ error: { message, ...more } });

describeCases('a 5xx whose cause is a refusal of the server behind it', [
  {
    says: 'a status after "error"',
    status: 502,
    body: error('upstream error: 400 message=The parameter background is wrong'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a status after "returned"',
    status: 502,
    body: error('upstream returned 401: Invalid API key'),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'a status in front of a body',
    status: 500,
    body: error('API error 400: {"message":"Improperly formed request."}'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a status and nothing else',
    status: 500,
    body: error('bad response status code 400', { code: 'bad_response_status_code' }),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a status in a member of the body',
    status: 500,
    body: error('The relay could not go on', { code: 403 }),
    is: 'permission_denied',
    retryable: false,
  },
  {
    says: 'the name of an exception',
    status: 500,
    body: error("litellm.BadRequestError: OpenAIException - 'messages' is empty"),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a refusal whose words say more than its status',
    status: 502,
    body: error('gateway returned 400 for https://llm.example/v1: Blocked by guardrail'),
    is: 'content_policy',
    retryable: false,
  },
  {
    says: 'a refusal that is a rate limit by its words',
    status: 500,
    body: error('upstream status 403: secondary rate limit, slow down'),
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a status at the beginning of the message, as SDKs print it',
    status: 500,
    body: { error: '400 tools.0.name: String should have at most 64 characters' },
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'the name of a status of gRPC',
    status: 500,
    body: error('rpc error: code = InvalidArgument desc = the image is empty'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'the name of a status of Google',
    status: 502,
    body: error('Original error: PERMISSION_DENIED: Consent is missing'),
    is: 'permission_denied',
    retryable: false,
  },
]);

describeCases('a 5xx that quotes a refusal and may pass all the same', [
  {
    says: 'one of two servers was only busy',
    status: 502,
    body: error('All servers failed: a: status 401, bad key; b: status 503, busy'),
    is: 'provider_unavailable',
    retryable: true,
  },
  {
    says: 'a number that is no status',
    status: 500,
    body: error('The request of 400 tokens failed'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a page',
    status: 502,
    body: '<html><title>502 Bad Gateway</title>Error 404 in the logs</html>',
    is: 'provider_unavailable',
    retryable: true,
  },
]);

describeCases('a 5xx whose words show that the request or a configuration is at fault', [
  {
    says: 'a template that raises',
    status: 500,
    body: error('Jinja Exception: System message must be at the beginning.', { code: 500 }),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a template that the error prints',
    status: 500,
    body: error("Unknown method: keys at row 57: {%- set handled = ['type'] %}", { code: 500 }),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a function of a template',
    status: 500,
    body: "raise_exception('Conversation roles must alternate')",
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a model that no provider has',
    status: 502,
    body: error('unknown provider for model m-1', { type: 'server_error' }),
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'an access that the server behind it forbids',
    status: 502,
    body: error('Upstream access forbidden, please contact administrator', { type: 'upstream_error' }),
    is: 'permission_denied',
    retryable: false,
  },
  {
    says: 'a prompt that a relay refuses',
    status: 500,
    body: error('用户输入', { code: 'sensitive_words_detected', type: 'new_api_error' }),
    is: 'content_policy',
    retryable: false,
  },
  {
    says: 'a key that is missing, by its code',
    status: 503,
    body: { error: { code: 'missing_key' } },
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'an argument outside its values',
    status: 500,
    body: error('response_format must be one of "text" or "json_object"', { type: 'server_error' }),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a quota, for a model',
    status: 500,
    body: 'Internal: quota exceeded for model',
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a feature that the model does not have',
    status: 500,
    body: error('This model does not support image input'),
    is: 'unsupported_feature',
    retryable: false,
  },
  {
    says: 'a model that does not exist',
    status: 500,
    body: error('The model m-1 does not exist'),
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'a plan without the model',
    status: 500,
    body: error('Your subscription does not include this model'),
    is: 'permission_denied',
    retryable: false,
  },
  {
    says: 'a free tier that is used up',
    status: 500,
    body: error('You exceeded the requests of the free tier'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a key of a maker that it names',
    status: 503,
    body: error('Invalid OpenAI API key'),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'one word about the caller',
    status: 500,
    body: { message: 'Internal Server Error', detail: 'Unauthorized' },
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'a key that is not configured',
    status: 503,
    body: error('API key not configured'),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'a request that it could not read',
    status: 500,
    body: error('Improperly formed request.'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'what a template raises, without the template',
    status: 500,
    body: 'conversation roles must alternate user and assistant',
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a service that is not configured',
    status: 502,
    body: error('Upstream not configured'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a service that is not registered',
    status: 503,
    body: error('No provider registered for model m-1'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a request that is no JSON, to a server in C++',
    status: 500,
    body: error('[json.exception.parse_error.101] parse error at line 2, column 1: unexpected end of input'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a file that its server does not have',
    status: 500,
    body: { detail: "[Errno 2] No such file or directory: '/models/m-1'" },
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a certificate that a gateway does not trust',
    status: 502,
    body: error('[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'an input that is empty',
    status: 500,
    body: error('input must not be empty'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'an address of a file that is none',
    status: 500,
    body: error('Invalid URI: data:audio'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a method that is not there, by a server that calls itself unavailable',
    status: 503,
    body: error('Not implemented'),
    is: 'unsupported_feature',
    retryable: false,
  },
  {
    says: 'an input of another kind, by a server that calls itself unavailable',
    status: 503,
    body: error('This model only supports text'),
    is: 'unsupported_feature',
    retryable: false,
  },
  {
    says: 'a feature that its server will have one day',
    status: 500,
    body: error('Batches are not yet implemented'),
    is: 'unsupported_feature',
    retryable: false,
  },
  {
    says: 'a model whose name is wrong',
    status: 500,
    body: error('Invalid model name: m-1'),
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'an account that the server behind it does not let in',
    status: 503,
    body: error('The account of this provider failed authentication'),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'an access that the server behind it denies',
    status: 502,
    body: error('Access was refused: access denied'),
    is: 'permission_denied',
    retryable: false,
  },
  {
    says: 'a picture that it cannot decode',
    status: 500,
    body: error('failed to decode image bytes'),
    is: 'invalid_request',
    retryable: false,
  },
]);

describeCases('a 5xx whose words only look like a refusal', [
  {
    says: 'a model with an unknown error',
    status: 500,
    body: error('The model failed for an unknown reason'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a model that is away',
    status: 502,
    body: error('The model is not available'),
    is: 'provider_unavailable',
    retryable: true,
  },
  {
    says: 'a filter that fails itself',
    status: 500,
    body: error('The moderation could not be run'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a guardrail that is away itself',
    status: 503,
    body: error('The guardrail could not be reached'),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'an empty answer of a model',
    status: 500,
    body: error('The response cannot be empty'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a time-out before a key was checked',
    status: 502,
    body: error('The server closed before authentication'),
    is: 'provider_unavailable',
    retryable: true,
  },
  {
    says: 'an answer of a model that the server could not read',
    status: 500,
    body: error('Invalid model response'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'the output of a model that is no JSON',
    status: 500,
    body: error('Failed to read the answer: [json.exception.parse_error.101] parse error at line 1'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a configured server that is not reached',
    status: 502,
    body: error('Cannot reach the configured upstream'),
    is: 'provider_unavailable',
    retryable: true,
  },
]);

describe('the status that a text quotes as its cause', () => {
  const none = new Set<number>();

  test('its own status at the beginning is no quotation', () => {
    expect(refusalIn('Error code: 502 - upstream returned 404', none, 502)).toBe(404);
  });

  test('a status that a retry may mend leaves it open', () => {
    expect(refusalIn('tried a: error 400', new Set([429]), 502)).toBe(0);
  });

  test.each([405, 409, 418])('%i is left to the 5xx around it', (status) => {
    expect(refusalIn(`upstream returned ${status}`, none, 502)).toBe(0);
  });
});

test('a thrown text is read by the same rules', () => {
  const failure = classify({
    error: new Error('Error code: 502 - {"error":"upstream returned 401: Invalid API key"}'),
  });
  expect(failure).toMatchObject({ type: 'auth_invalid', retryable: false });
});
