import { describeCases } from './cases.ts';

const error = (message: string, type = 'invalid_request_error'): unknown => ({
  error: { message, type, param: null, code: 'invalid_request_error' },
});

describeCases('DeepSeek', {
  billing_error: {
    'no balance, as bytes of no type': [
      402,
      error('Insufficient Balance', 'unknown_error'),
      { headers: { 'content-type': 'application/octet-stream' } },
    ],
    'no balance at another status': [400, error('Insufficient Balance')],
  },
  model_not_found: { 'a model that does not exist': [400, error('Model Not Exist')] },
  auth_invalid: {
    'a wrong key': [401, error('Authentication Fails, Your api key: ****abcd is invalid', 'authentication_error')],
  },
  overloaded: {
    overload: [
      503,
      error(
        'Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.',
        'service_unavailable_error',
      ),
    ],
    'an error after keep-alive comments': [
      200,
      `: keep-alive\n\n: keep-alive\n\ndata: ${JSON.stringify(error('Service is too busy.', 'service_unavailable_error'))}\n\n`,
      { headers: { 'content-type': 'text/event-stream' } },
    ],
  },
});
