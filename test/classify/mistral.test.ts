import { describeCases } from './cases.ts';

const error = (message: string, type: string, code: string | null = null): unknown => ({
  object: 'error',
  message,
  type,
  param: null,
  code,
});

describeCases('Mistral', {
  rate_limit: {
    'a rate limit of the gateway': [429, { message: 'Requests rate limit exceeded' }],
    'a rate limit inside a stream': [
      200,
      `data: ${JSON.stringify(error('Rate limit exceeded', 'rate_limited', '1300'))}\n\n`,
      { headers: { 'content-type': 'text/event-stream' } },
    ],
  },
  overloaded: {
    'capacity at 429 with a type that lies': [
      429,
      error('Service tier capacity exceeded for this model.', 'invalid_request_error', '3505'),
    ],
  },
  model_not_found: {
    'a model that does not exist': [
      400,
      error('Invalid model: mistral-huge', 'invalid_model', '1500'),
      { code: 'invalid_model' },
    ],
  },
  context_too_long: {
    'a prompt that is too long': [
      400,
      error(
        'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        'invalid_request_error',
        '3051',
      ),
    ],
  },
  auth_invalid: { 'no key': [401, { message: 'Unauthorized' }] },
  invalid_request: {
    'a validation error in a list': [
      422,
      { detail: [{ type: 'missing', loc: ['body', 'model'], msg: 'Field required' }] },
    ],
  },
});
