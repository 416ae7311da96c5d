import { describeCases } from './cases.ts';

const error = (message: string, code: string | null, type = 'invalid_request_error'): unknown => ({
  error: { message, type, code },
});

describeCases('Groq', {
  context_too_long: {
    'one request above the limit, at 413': [
      413,
      error(
        'Request too large for model `x` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 8151, please reduce your message size and try again.',
        'rate_limit_exceeded',
        'tokens',
      ),
      { headers: { 'x-should-retry': 'false', 'x-groq-region': 'fra' }, provider: 'groq' },
    ],
    'the same without its header': [413, error('Limit 6000, Requested 8151', 'rate_limit_exceeded', 'tokens')],
  },
  rate_limit: {
    'a rolling limit of a day, by header': [
      429,
      error(
        'Rate limit reached on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 51.597142857s.',
        'rate_limit_exceeded',
        'tokens',
      ),
      { headers: { 'retry-after': '52' }, afterMs: 52_000 },
    ],
  },
  overloaded: {
    'a flex tier at capacity': [498, error('Flex tier capacity exceeded', 'capacity_exceeded', 'server_error')],
    'a bare 498': [498],
  },
  invalid_request: {
    'a tool call that the model got wrong': [
      400,
      error('Failed to call a function.', 'tool_use_failed'),
      { code: 'tool_use_failed' },
    ],
  },
  model_deprecated: {
    'a decommissioned model': [
      400,
      error('The model `x` has been decommissioned and is no longer supported.', 'model_decommissioned'),
    ],
  },
  account_suspended: {
    'an organization that Groq has shut out': [
      400,
      error('Organization has been restricted. Please reach out to support.', 'organization_restricted'),
    ],
  },
});
