import { describeCases } from './cases.ts';

const error = (message: string, type = 'invalid_request_error'): unknown => ({
  error: { message, type, param: null, code: 'invalid_request_error' },
});

describeCases('DeepSeek', [
  {
    says: 'no balance, as bytes of no type',
    status: 402,
    headers: { 'content-type': 'application/octet-stream' },
    body: error('Insufficient Balance', 'unknown_error'),
    is: 'billing_error',
    retryable: false,
  },
  {
    says: 'no balance at another status',
    status: 400,
    body: error('Insufficient Balance'),
    is: 'billing_error',
    retryable: false,
  },
  {
    says: 'a model that does not exist',
    status: 400,
    body: error('Model Not Exist'),
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'a wrong key',
    status: 401,
    body: error('Authentication Fails, Your api key: ****abcd is invalid', 'authentication_error'),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'overload',
    status: 503,
    body: error(
      'Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.',
      'service_unavailable_error',
    ),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'an error after keep-alive comments',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: `: keep-alive\n\n: keep-alive\n\ndata: ${JSON.stringify(error('Service is too busy.', 'service_unavailable_error'))}\n\n`,
    is: 'overloaded',
    retryable: true,
  },
]);
