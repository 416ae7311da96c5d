import { describeCases } from './cases.ts';

const headers = { 'apim-request-id': 'a12b8d1c-ec44-4f47-836c-af5095ede296', 'openai-processing-ms': '3' };
const error = (code: string, message: string, more: object = {}): unknown => ({ error: { code, message, ...more } });

describeCases('Azure OpenAI', [
  {
    says: 'a token rate limit',
    status: 429,
    headers,
    body: error(
      '429',
      'Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current OpenAI S0 pricing tier. Try again in 35 seconds.',
    ),
    is: 'rate_limit',
    retryable: true,
    afterMs: 35_000,
    code: '429',
    provider: 'azure',
  },
  {
    says: 'milliseconds in a header',
    status: 429,
    headers: { ...headers, 'retry-after-ms': '1250.5', 'retry-after': '2' },
    body: error('429', 'Rate limit.'),
    is: 'rate_limit',
    retryable: true,
    afterMs: 1_250.5,
  },
  {
    says: 'a day, since one request is above the limit',
    status: 429,
    body: error(
      '429',
      'Requests to the Embeddings_Create Operation under Azure OpenAI API version 2023-05-15 have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 86400 seconds.',
    ),
    is: 'rate_limit',
    retryable: false,
    afterMs: 86_400_000,
    provider: 'azure',
  },
  {
    says: 'a day, in capitals',
    status: 429,
    body: error('429', 'PLEASE TRY AGAIN IN 86400 SECONDS.'),
    is: 'rate_limit',
    retryable: false,
    afterMs: 86_400_000,
  },
  {
    says: 'a deployment that does not exist',
    status: 404,
    headers,
    body: error('DeploymentNotFound', 'The API deployment for this resource does not exist.'),
    is: 'model_not_found',
    retryable: false,
    code: 'DeploymentNotFound',
  },
  {
    says: 'a filter by its inner code',
    status: 400,
    headers,
    body: error('BadRequest', 'No.', { innererror: { code: 'ResponsibleAIPolicyViolation' } }),
    is: 'content_policy',
    retryable: false,
  },
  {
    says: 'an operation that the model does not have',
    status: 400,
    headers,
    body: error('OperationNotSupported', 'The chatCompletion operation does not work with the specified model.'),
    is: 'unsupported_feature',
    retryable: false,
  },
  {
    says: 'a context that is too long',
    status: 400,
    headers,
    body: error('context_length_exceeded', "This model's maximum context length is 8192 tokens."),
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'a wrong key',
    status: 401,
    headers,
    body: error('401', 'Access denied due to invalid subscription key or wrong API endpoint.'),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'too many requests by its code',
    status: 429,
    headers,
    body: error('too_many_requests', 'Too many requests'),
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a quota per day of GitHub Models',
    status: 429,
    body: error(
      'RateLimitReached',
      'Rate limit of 50 per 86400s exceeded for UserByModelByDay. Please wait 41270 seconds before retrying.',
    ),
    is: 'quota_exhausted',
    retryable: false,
    afterMs: 41_270_000,
  },

  {
    // https://github.com/microsoft/copilot-camp/issues/551
    says: 'a 429, wrapped into a 400 by what asked it',
    status: 400,
    body: {
      error: {
        message:
          'An error occurred when calling Azure OpenAI: Server responded with status 429. Error message: {"error":{"code":"429","message": "Rate limit is exceeded. Try again in 2 seconds."}}',
      },
    },
    is: 'rate_limit',
    retryable: true,
    afterMs: 2_000,
  },
]);
