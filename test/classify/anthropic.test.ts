import { describeCases, sse } from './cases.ts';

const error = (type: string, message: string, details: unknown = null): unknown => ({
  type: 'error',
  error: { type, message, details },
  request_id: 'req_011CcR9r7znh7DZb3RdjMUHy',
});

describeCases('Anthropic', [
  {
    says: 'a rate limit with its headers',
    status: 429,
    headers: { 'retry-after': '16', 'anthropic-ratelimit-requests-reset': '2026-11-20T00:01:03Z', 'x-should-retry': 'true' },
    body: error(
      'rate_limit_error',
      'This request would exceed your organization’s rate limit of 40,000 input tokens per minute. Please reduce the prompt ' +
        'length or the maximum tokens requested, or try again later. You may also contact sales to discuss your options.',
    ),
    is: 'rate_limit',
    retryable: true,
    afterMs: 16_000,
    code: 'rate_limit_error',
    provider: 'anthropic',
  },
  { says: 'a spend limit of the contract', status: 429, body: error('rate_limit_error', 'Spend limit reached.', { error_code: 'contract_spend_limit_reached' }), is: 'quota_exhausted', retryable: false, code: 'contract_spend_limit_reached' },
  { says: 'a spend limit of the workspace', status: 429, body: error('rate_limit_error', 'Limit.', { error_code: 'enforced_spend_limit_reached' }), headers: { 'x-should-retry': 'true' }, is: 'quota_exhausted', retryable: false },
  { says: 'a ramp limit', status: 429, body: error('rate_limit_error', 'Your usage grew too quickly.', { error_code: 'ramp_limit_exceeded' }), headers: { 'retry-after': '30' }, is: 'rate_limit', retryable: true, afterMs: 30_000, code: 'ramp_limit_exceeded' },
  { says: 'a code that nobody knows, which is its bare type', status: 429, body: error('rate_limit_error', 'Slow.', { error_code: 'brand_new_limit' }), is: 'rate_limit', retryable: true },
  { says: 'overload', status: 529, body: error('overloaded_error', 'Overloaded'), headers: { 'x-should-retry': 'true' }, is: 'overloaded', retryable: true },
  { says: 'a server error', status: 500, body: error('api_error', 'Internal server error'), is: 'server_error', retryable: true },
  { says: 'a timeout', status: 504, body: error('timeout_error', 'Request timed out'), is: 'timeout', retryable: true },
  { says: 'a customer key that cannot be reached', status: 503, body: error('api_error', 'Retry in a few minutes.', { error_code: 'cmek_key_unreachable' }), is: 'provider_unavailable', retryable: true },
  { says: 'a billing error', status: 402, body: error('billing_error', 'Your account has a billing issue.'), is: 'billing_error', retryable: false },
  { says: 'a linked organization that cannot pay', status: 402, body: error('billing_error', 'No.', { error_code: 'linked_organization_disabled' }), is: 'billing_error', retryable: false, code: 'linked_organization_disabled' },
  { says: 'no credits, behind a 400', status: 400, body: error('invalid_request_error', 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.'), is: 'billing_error', retryable: false },
  { says: 'usage limits of one’s own, behind a 400', status: 400, body: error('invalid_request_error', 'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.'), is: 'quota_exhausted', retryable: false },
  { says: 'a disabled organization, behind a 400', status: 400, body: error('invalid_request_error', 'This organization has been disabled.'), is: 'account_suspended', retryable: false },
  { says: 'an organization on hold', status: 400, body: error('invalid_request_error', 'On hold.', { error_code: 'organization_on_hold' }), is: 'account_suspended', retryable: false },
  { says: 'input and output above the context', status: 400, body: error('invalid_request_error', 'input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, decrease input length or `max_tokens` and try again'), is: 'context_too_long', retryable: false },
  { says: 'a deprecated parameter, which is no deprecated model', status: 400, body: error('invalid_request_error', '`temperature` is deprecated for this model.'), is: 'invalid_request', retryable: false },
  { says: 'a wrong key', status: 401, body: error('authentication_error', 'invalid x-api-key'), headers: { 'x-should-retry': 'false' }, is: 'auth_invalid', retryable: false },
  { says: 'a missing permission', status: 403, body: error('permission_error', 'Your API key does not have permission to use the specified resource.'), is: 'permission_denied', retryable: false },
  { says: 'output that its filter blocked', status: 400, body: error('invalid_request_error', 'Output blocked by content filtering policy'), is: 'content_policy', retryable: false },
  { says: 'a lock conflict that it wants retried', status: 409, body: error('conflict_error', 'Lock timeout'), headers: { 'x-should-retry': 'true' }, is: 'invalid_request', retryable: true },
  { says: 'a conflict without a word on retrying', status: 409, body: error('conflict_error', 'Lock timeout'), is: 'invalid_request', retryable: false },
  { says: 'a server error that it does not want retried', status: 500, body: error('api_error', 'Internal server error'), headers: { 'x-should-retry': 'false' }, is: 'server_error', retryable: false },
  {
    says: 'overload after an empty block',
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: sse(
      ['message_start', { type: 'message_start', message: { id: 'msg_1', content: [] } }],
      ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
      ['ping', { type: 'ping' }],
      ['error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    ),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'overload after a tool was announced',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: sse(
      ['message_start', { type: 'message_start', message: {} }],
      ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } }],
      ['error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    ),
    is: 'overloaded',
    retryable: false,
  },
]);
