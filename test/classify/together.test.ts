import { describeCases } from './cases.ts';

const error = (message: string, type: string, code: string | null = null): unknown => ({
  error: { message, type, param: null, code },
});

describeCases('Together', [
  {
    says: 'tokens per minute under the name of credits',
    status: 429,
    body: error(
      'Your request was rejected due to token rate limiting. Your rate limits are 600 RPM and 180000 TPM.',
      'credit_limit',
    ),
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'credits that are really spent',
    status: 402,
    body: error('Credit limit exceeded, please navigate to https://api.together.ai/settings/billing', 'credit_limit'),
    is: 'billing_error',
    retryable: false,
    provider: 'together',
  },
  {
    says: 'a model that is not available',
    status: 404,
    body: error(
      'Unable to access model x. Please visit https://api.together.ai/models',
      'invalid_request_error',
      'model_not_available',
    ),
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'input that is too long',
    status: 422,
    body: error(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens and 512 `max_new_tokens`',
      'invalid_request_error',
    ),
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'overload',
    status: 503,
    body: error('The server is overloaded or not ready yet.', 'service_unavailable'),
    is: 'overloaded',
    retryable: true,
  },
]);
