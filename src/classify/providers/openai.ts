/** OpenAI, and the many that copy its `{ error: { message, type, param, code } }`: `code` decides, then `type`. */

import type { Family } from '../family.ts';

export const OPENAI: Family = {
  provider: 'openai',
  headers: 'openai-processing-ms openai-organization openai-version',
  signature: 'platform.openai.com help.openai.com',
  decisive: [
    [
      'quota_exhausted',
      'insufficient_(user_)?quota credit_balance_exhausted organization_spend_limit_exceeded billing_hard_limit_reached ' +
        'usage_not_included usage_limit_reached exceeded_current_quota_error budget_exceeded ' +
        'user_weekly_rate_limited',
      'billing hard limit',
    ],
    ['billing_error', 'billing_not_active'],
    ['account_suspended', 'account_deactivated access_terminated'],
    ['context_too_long', 'context_length_exceeded model_max_prompt_tokens_exceeded', 'reduce the length of the'],
    ['auth_invalid', 'invalid_api_key'],
    [
      'permission_denied',
      'unsupported_country_region_territory request_forbidden',
      'region,? or territory|organization must be verified',
    ],
    ['content_policy', '\\w*content_policy_violation content_filter(ed|_error)? moderation_blocked'],
    ['model_not_found', 'model_not_(found|supported)'],
    ['model_deprecated', 'model_deprecated'],
    ['unsupported_feature', 'unsupported_value (unknown|unsupported)_parameter'],
  ],
  anyStatus: [
    // A single request above the tokens of a whole minute: 429 `rate_limit_exceeded`, which no wait can fix.
    ['context_too_long', '', 'request too large for|reduced in order to run'],
    ['billing_error', '', 'account is not active'],
  ],
  usual: [
    ['rate_limit', '(tokens|requests)@0'],
    [
      'overloaded',
      'server_is_overloaded slow_down conversation_locked service_unavailable_error engine_overloaded\\w*',
    ],
  ],
};
