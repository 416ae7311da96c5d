import { describeCases } from './cases.ts';

const error = (message: string, type: string, code: string | null = null): unknown => ({
  error: { message, type, param: null, code },
});

describeCases('Together', {
  rate_limit: {
    'tokens per minute under the name of credits': [
      429,
      error(
        'Your request was rejected due to token rate limiting. Your rate limits are 600 RPM and 180000 TPM.',
        'credit_limit',
      ),
    ],
  },
  billing_error: {
    'credits that are really spent': [
      402,
      error('Credit limit exceeded, please navigate to https://api.together.ai/settings/billing', 'credit_limit'),
      { provider: 'together' },
    ],
  },
  model_not_found: {
    'a model that is not available': [
      404,
      error(
        'Unable to access model x. Please visit https://api.together.ai/models',
        'invalid_request_error',
        'model_not_available',
      ),
    ],
  },
  context_too_long: {
    'input that is too long': [
      422,
      error(
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens and 512 `max_new_tokens`',
        'invalid_request_error',
      ),
    ],
  },
  overloaded: { overload: [503, error('The server is overloaded or not ready yet.', 'service_unavailable')] },
});
