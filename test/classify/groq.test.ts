import { describeCases } from './cases.ts';

const error = (message: string, code: string | null, type = 'invalid_request_error'): unknown => ({
  error: { message, type, code },
});

describeCases('Groq', [
  {
    says: 'one request above the limit, at 413',
    status: 413,
    headers: { 'x-should-retry': 'false', 'x-groq-region': 'fra' },
    body: error(
      'Request too large for model `x` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 8151, please reduce your message size and try again.',
      'rate_limit_exceeded',
      'tokens',
    ),
    is: 'context_too_long',
    retryable: false,
    provider: 'groq',
  },
  {
    says: 'the same without its header',
    status: 413,
    body: error('Limit 6000, Requested 8151', 'rate_limit_exceeded', 'tokens'),
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'a rolling limit of a day, by header',
    status: 429,
    headers: { 'retry-after': '52' },
    body: error(
      'Rate limit reached on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 51.597142857s.',
      'rate_limit_exceeded',
      'tokens',
    ),
    is: 'rate_limit',
    retryable: true,
    afterMs: 52_000,
  },
  {
    says: 'a flex tier at capacity',
    status: 498,
    body: error('Flex tier capacity exceeded', 'capacity_exceeded', 'server_error'),
    is: 'overloaded',
    retryable: true,
  },
  { says: 'a bare 498', status: 498, is: 'overloaded', retryable: true },
  {
    says: 'a tool call that the model got wrong',
    status: 400,
    body: error('Failed to call a function.', 'tool_use_failed'),
    is: 'invalid_request',
    retryable: false,
    code: 'tool_use_failed',
  },
  {
    says: 'a decommissioned model',
    status: 400,
    body: error('The model `x` has been decommissioned and is no longer supported.', 'model_decommissioned'),
    is: 'model_deprecated',
    retryable: false,
  },
  {
    says: 'an organization that Groq has shut out',
    status: 400,
    body: error('Organization has been restricted. Please reach out to support.', 'organization_restricted'),
    is: 'account_suspended',
    retryable: false,
  },
]);
