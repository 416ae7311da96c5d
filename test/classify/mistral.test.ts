import { describeCases } from './cases.ts';

const error = (message: string, type: string, code: string | null = null): unknown => ({
  object: 'error',
  message,
  type,
  param: null,
  code,
});

describeCases('Mistral', [
  {
    says: 'a rate limit of the gateway',
    status: 429,
    body: { message: 'Requests rate limit exceeded' },
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'capacity at 429 with a type that lies',
    status: 429,
    body: error('Service tier capacity exceeded for this model.', 'invalid_request_error', '3505'),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'a model that does not exist',
    status: 400,
    body: error('Invalid model: mistral-huge', 'invalid_model', '1500'),
    is: 'model_not_found',
    retryable: false,
    code: 'invalid_model',
  },
  {
    says: 'a prompt that is too long',
    status: 400,
    body: error(
      'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      'invalid_request_error',
      '3051',
    ),
    is: 'context_too_long',
    retryable: false,
  },
  { says: 'no key', status: 401, body: { message: 'Unauthorized' }, is: 'auth_invalid', retryable: false },
  {
    says: 'a validation error in a list',
    status: 422,
    body: { detail: [{ type: 'missing', loc: ['body', 'model'], msg: 'Field required' }] },
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a rate limit inside a stream',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: `data: ${JSON.stringify(error('Rate limit exceeded', 'rate_limited', '1300'))}\n\n`,
    is: 'rate_limit',
    retryable: true,
  },
]);
