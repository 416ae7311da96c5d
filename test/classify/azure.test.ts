import { describeCases } from './cases.ts';

const headers = { 'apim-request-id': 'a12b8d1c-ec44-4f47-836c-af5095ede296', 'openai-processing-ms': '3' };
const error = (code: string, message: string, more: object = {}): unknown => ({ error: { code, message, ...more } });

describeCases('Azure OpenAI', {
  rate_limit: {
    'a token rate limit': [
      429,
      error(
        '429',
        'Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current OpenAI S0 pricing tier. Try again in 35 seconds.',
      ),
      { headers: headers, afterMs: 35_000, code: '429', provider: 'azure' },
    ],
    'milliseconds in a header': [
      429,
      error('429', 'Rate limit.'),
      { headers: { ...headers, 'retry-after-ms': '1250.5', 'retry-after': '2' }, afterMs: 1_250.5 },
    ],
    'a day, since one request is above the limit': [
      429,
      error(
        '429',
        'Requests to the Embeddings_Create Operation under Azure OpenAI API version 2023-05-15 have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 86400 seconds.',
      ),
      { retryable: false, afterMs: 86_400_000, provider: 'azure' },
    ],
    'a day, in capitals': [
      429,
      error('429', 'PLEASE TRY AGAIN IN 86400 SECONDS.'),
      { retryable: false, afterMs: 86_400_000 },
    ],
    'too many requests by its code': [429, error('too_many_requests', 'Too many requests'), { headers: headers }],
    // https://github.com/microsoft/copilot-camp/issues/551
    'a 429, wrapped into a 400 by what asked it': [
      400,
      {
        error: {
          message:
            'An error occurred when calling Azure OpenAI: Server responded with status 429. Error message: {"error":{"code":"429","message": "Rate limit is exceeded. Try again in 2 seconds."}}',
        },
      },
      { afterMs: 2_000 },
    ],
  },
  model_not_found: {
    'a deployment that does not exist': [
      404,
      error('DeploymentNotFound', 'The API deployment for this resource does not exist.'),
      { headers: headers, code: 'DeploymentNotFound' },
    ],
  },
  content_policy: {
    'a filter by its inner code': [
      400,
      error('BadRequest', 'No.', { innererror: { code: 'ResponsibleAIPolicyViolation' } }),
      { headers: headers },
    ],
  },
  unsupported_feature: {
    'an operation that the model does not have': [
      400,
      error('OperationNotSupported', 'The chatCompletion operation does not work with the specified model.'),
      { headers: headers },
    ],
  },
  context_too_long: {
    'a context that is too long': [
      400,
      error('context_length_exceeded', "This model's maximum context length is 8192 tokens."),
      { headers: headers },
    ],
  },
  auth_invalid: {
    'a wrong key': [
      401,
      error('401', 'Access denied due to invalid subscription key or wrong API endpoint.'),
      { headers: headers },
    ],
  },
  quota_exhausted: {
    'a quota per day of GitHub Models': [
      429,
      error(
        'RateLimitReached',
        'Rate limit of 50 per 86400s exceeded for UserByModelByDay. Please wait 41270 seconds before retrying.',
      ),
      { afterMs: 41_270_000 },
    ],
  },
});
