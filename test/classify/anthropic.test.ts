import { type Case, describeCases, sse } from './cases.ts';

const error = (type: string, message: string, details: unknown = null): unknown => ({
  type: 'error',
  error: { type, message, details },
  request_id: 'req_011CcR9r7znh7DZb3RdjMUHy',
});
const at = (status: number, ...args: Parameters<typeof error>): Case => [status, error(...args)];

describeCases('Anthropic', {
  quota_exhausted: {
    'usage limits of a workspace': at(
      400,
      'invalid_request_error',
      'You have reached your specified workspace API usage limits.',
    ),
    'the five hours of a subscription that are used up': [
      429,
      error('rate_limit_error', 'This request would exceed your account’s rate limit. Please try again later.'),
      {
        headers: {
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-reset': '1795141800',
          'x-should-retry': 'true',
        },
        afterMs: 9_000_000,
      },
    ],
    'a spend limit of the contract': [
      429,
      error('rate_limit_error', 'Spend limit reached.', { error_code: 'contract_spend_limit_reached' }),
      { code: 'contract_spend_limit_reached' },
    ],
    'a spend limit of the workspace': [
      429,
      error('rate_limit_error', 'Limit.', { error_code: 'enforced_spend_limit_reached' }),
      { headers: { 'x-should-retry': 'true' } },
    ],
    'usage limits of one’s own, behind a 400': at(
      400,
      'invalid_request_error',
      'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    ),
  },
  rate_limit: {
    'another limit while the five hours of a subscription last': [
      429,
      error('rate_limit_error', 'This request would exceed your account’s rate limit. Please try again later.'),
      {
        headers: { 'anthropic-ratelimit-unified-status': 'allowed', 'anthropic-ratelimit-unified-reset': '1795141800' },
      },
    ],
    'five hours of a subscription that renew in a moment': [
      429,
      error('rate_limit_error', 'This request would exceed your account’s rate limit. Please try again later.'),
      {
        headers: {
          'retry-after': '30',
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-reset': '1795141800',
        },
        afterMs: 30_000,
      },
    ],
    'a rate limit with its headers': [
      429,
      error(
        'rate_limit_error',
        'This request would exceed your organization’s rate limit of 40,000 input tokens per minute. Please reduce the prompt ' +
          'length or the maximum tokens requested, or try again later. You may also contact sales to discuss your options.',
      ),
      {
        headers: {
          'retry-after': '16',
          'anthropic-ratelimit-requests-reset': '2026-11-20T00:01:03Z',
          'x-should-retry': 'true',
        },
        afterMs: 16_000,
        code: 'rate_limit_error',
        provider: 'anthropic',
      },
    ],
    'a ramp limit': [
      429,
      error('rate_limit_error', 'Your usage grew too quickly.', { error_code: 'ramp_limit_exceeded' }),
      { headers: { 'retry-after': '30' }, afterMs: 30_000, code: 'ramp_limit_exceeded' },
    ],
    'an unknown code, which is its bare type': at(429, 'rate_limit_error', 'Slow.', { error_code: 'brand_new_limit' }),
  },
  overloaded: {
    overload: [529, error('overloaded_error', 'Overloaded'), { headers: { 'x-should-retry': 'true' } }],
    'overload after an empty block': [
      200,
      sse(
        ['message_start', { type: 'message_start', message: { id: 'msg_1', content: [] } }],
        ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
        ['ping', { type: 'ping' }],
        ['error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
      ),
      { headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
    ],
    'overload after a tool was announced': [
      200,
      sse(
        ['message_start', { type: 'message_start', message: {} }],
        [
          'content_block_start',
          { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
        ],
        ['error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
      ),
      { headers: { 'content-type': 'text/event-stream' }, retryable: false },
    ],
  },
  server_error: {
    'a server error': at(500, 'api_error', 'Internal server error'),
    'a server error that it does not want retried': [
      500,
      error('api_error', 'Internal server error'),
      { headers: { 'x-should-retry': 'false' }, retryable: false },
    ],
  },
  timeout: { 'a timeout': at(504, 'timeout_error', 'Request timed out') },
  provider_unavailable: {
    'a customer key that cannot be reached': at(503, 'api_error', 'Retry in a few minutes.', {
      error_code: 'cmek_key_unreachable',
    }),
  },
  billing_error: {
    'a billing error': at(402, 'billing_error', 'Your account has a billing issue.'),
    'a linked organization that cannot pay': [
      402,
      error('billing_error', 'No.', { error_code: 'linked_organization_disabled' }),
      { code: 'linked_organization_disabled' },
    ],
    'no credits, behind a 400': at(
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    ),
    // https://github.com/rynfar/meridian/issues/495
    'extra usage of a plan that is used up': [
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: "You're out of extra usage. Add more at claude.ai/settings/usage and keep going.",
        },
      },
    ],
  },
  account_suspended: {
    'a disabled organization, behind a 400': at(400, 'invalid_request_error', 'This organization has been disabled.'),
    'an organization on hold': at(400, 'invalid_request_error', 'On hold.', { error_code: 'organization_on_hold' }),
  },
  context_too_long: {
    'input and output above the context': at(
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    ),
  },
  invalid_request: {
    'a deprecated parameter, which is no deprecated model': at(
      400,
      'invalid_request_error',
      '`temperature` is deprecated for this model.',
    ),
    'a lock conflict that it wants retried': [
      409,
      error('conflict_error', 'Lock timeout'),
      { headers: { 'x-should-retry': 'true' }, retryable: true },
    ],
    'a conflict without a word on retrying': at(409, 'conflict_error', 'Lock timeout'),
  },
  auth_invalid: {
    'a wrong key': [
      401,
      error('authentication_error', 'invalid x-api-key'),
      { headers: { 'x-should-retry': 'false' } },
    ],
  },
  permission_denied: {
    'a missing permission': at(
      403,
      'permission_error',
      'Your API key does not have permission to use the specified resource.',
    ),
  },
  content_policy: {
    'output that its filter blocked': at(400, 'invalid_request_error', 'Output blocked by content filtering policy'),
  },
});
