import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { refusalIn } from '../../src/classify/quoted-status.ts';
import { describeCases } from './cases.ts';

const error = (message: string, more: object = {}): unknown => ({ error: { message, ...more } });

describeCases('a 5xx whose cause is a refusal of the server behind it', {
  invalid_request: {
    'a status after "error"': [502, error('upstream error: 400 message=The parameter background is wrong')],
    'a status in front of a body': [500, error('API error 400: {"message":"Improperly formed request."}')],
    'a status in front of a body, after a name': [502, 'DeepSeek 400: {"error":{"message":"no tool messages"}}'],
    'a status and nothing else': [500, error('bad response status code 400', { code: 'bad_response_status_code' })],
    'the name of an exception': [500, error("litellm.BadRequestError: OpenAIException - 'messages' is empty")],
    'a status at the beginning of the message, as SDKs print it': [
      500,
      { error: '400 tools.0.name: String should have at most 64 characters' },
    ],
    'the name of a status of gRPC': [500, error('rpc error: code = InvalidArgument desc = the image is empty')],
  },
  auth_invalid: { 'a status after "returned"': [502, error('upstream returned 401: Invalid API key')] },
  permission_denied: {
    'a status in a member of the body': [500, error('The relay could not go on', { code: 403 })],
    'the name of a status of Google': [502, error('Original error: PERMISSION_DENIED: Consent is missing')],
  },
  content_policy: {
    'a refusal whose words say more than its status': [
      502,
      error('gateway returned 400 for https://llm.example/v1: Blocked by guardrail'),
    ],
  },
  rate_limit: {
    'a refusal that is a rate limit by its words': [500, error('upstream status 403: secondary rate limit, slow down')],
  },
});

describeCases('a 5xx that quotes a refusal and may pass all the same', {
  provider_unavailable: {
    'one of two servers was only busy': [502, error('All servers failed: a: status 401, bad key; b: status 503, busy')],
    'a page': [502, '<html><title>502 Bad Gateway</title>Error 404 in the logs</html>'],
  },
  server_error: { 'a number that is no status': [500, error('The request of 400 tokens failed')] },
});

describeCases('a 5xx whose words show that the request or a configuration is at fault', {
  invalid_request: {
    'a template that raises': [500, error('Jinja Exception: System message must be at the beginning.', { code: 500 })],
    'a template that the error prints': [
      500,
      error("Unknown method: keys at row 57: {%- set handled = ['type'] %}", { code: 500 }),
    ],
    'a function of a template': [500, "raise_exception('Conversation roles must alternate')"],
    'an argument outside its values': [
      500,
      error('response_format must be one of "text" or "json_object"', { type: 'server_error' }),
    ],
    'a request that it could not read': [500, error('Improperly formed request.')],
    'what a template raises, without the template': [500, 'conversation roles must alternate user and assistant'],
    'a service that is not configured': [502, error('Upstream not configured')],
    'a service that is not registered': [503, error('No provider registered for model m-1')],
    'a request that is no JSON, to a server in C++': [
      500,
      error('[json.exception.parse_error.101] parse error at line 2, column 1: unexpected end of input'),
    ],
    'a file that its server does not have': [500, { detail: "[Errno 2] No such file or directory: '/models/m-1'" }],
    'a certificate that a gateway does not trust': [
      502,
      error('[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate'),
    ],
    'an input that is empty': [500, error('input must not be empty')],
    'an address of a file that is none': [500, error('Invalid URI: data:audio')],
    'a picture that it cannot decode': [500, error('failed to decode image bytes')],
  },
  model_not_found: {
    'a model that no provider has': [502, error('unknown provider for model m-1', { type: 'server_error' })],
    'a model that does not exist': [500, error('The model m-1 does not exist')],
    'a model whose name is wrong': [500, error('Invalid model name: m-1')],
  },
  permission_denied: {
    'an access that the server behind it forbids': [
      502,
      error('Upstream access forbidden, please contact administrator', { type: 'upstream_error' }),
    ],
    'a plan without the model': [500, error('Your subscription does not include this model')],
    'an access that the server behind it denies': [502, error('Access was refused: access denied')],
  },
  content_policy: {
    'a prompt that a relay refuses': [
      500,
      error('用户输入', { code: 'sensitive_words_detected', type: 'new_api_error' }),
    ],
  },
  auth_invalid: {
    'a key that is missing, by its code': [503, { error: { code: 'missing_key' } }],
    'a key of a maker that it names': [503, error('Invalid OpenAI API key')],
    'one word about the caller': [500, { message: 'Internal Server Error', detail: 'Unauthorized' }],
    'a key that is not configured': [503, error('API key not configured')],
    'an account that the server behind it does not let in': [
      503,
      error('The account of this provider failed authentication'),
    ],
  },
  quota_exhausted: {
    'a quota, for a model': [500, 'Internal: quota exceeded for model'],
    'a free tier that is used up': [500, error('You exceeded the requests of the free tier')],
  },
  unsupported_feature: {
    'a feature that the model does not have': [500, error('This model does not support image input')],
    'a method that is not there, by a server that calls itself unavailable': [503, error('Not implemented')],
    'an input of another kind, by a server that calls itself unavailable': [
      503,
      error('This model only supports text'),
    ],
    'a feature that its server will have one day': [500, error('Batches are not yet implemented')],
  },
});

describeCases('a 5xx whose words only look like a refusal', {
  server_error: {
    'a model with an unknown error': [500, error('The model failed for an unknown reason')],
    'a filter that fails itself': [500, error('The moderation could not be run')],
    'an empty answer of a model': [500, error('The response cannot be empty')],
    'an answer of a model that the server could not read': [500, error('Invalid model response')],
    'the output of a model that is no JSON': [
      500,
      error('Failed to read the answer: [json.exception.parse_error.101] parse error at line 1'),
    ],
  },
  provider_unavailable: {
    'a model that is away': [502, error('The model is not available')],
    'a time-out before a key was checked': [502, error('The server closed before authentication')],
    'a configured server that is not reached': [502, error('Cannot reach the configured upstream')],
  },
  overloaded: { 'a guardrail that is away itself': [503, error('The guardrail could not be reached')] },
});

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
