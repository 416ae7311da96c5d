/**
 * Anthropic: `error.type` is stable, `details.error_code` is more specific, and wording is declared unstable. But the
 * most frequent billing failures are 400 and 429 and show only in their wording.
 */

import type { Family, Keep } from '../family.ts';

export const ANTHROPIC: Family = {
  provider: 'anthropic',
  headers: 'anthropic-organization-id anthropic-ratelimit-requests-limit',
  decisive: [
    ['billing_error', 'billing_error linked_organization_\\w+'],
    ['quota_exhausted', '(contract|enforced)_spend_limit_reached'],
    ['account_suspended', 'organization_on_hold'],
    ['context_too_long', 'request_too_large'],
  ],
  anyStatus: [
    // In one case 400 and `invalid_request_error`, in the other 429 and `rate_limit_error`: a feature that the plan
    // does not include.
    [
      'billing_error',
      '',
      'credit balance is too low|out of extra usage|(extra usage|usage credits?) (is|are) required',
    ],
  ],
  usual: [
    ['rate_limit', 'ramp_limit_exceeded'],
    ['provider_unavailable', 'cmek_\\w+'],
    ['auth_invalid', 'authentication_error'],
    ['permission_denied', 'permission_error'],
    ['model_not_found', 'not_found_error'],
  ],
};

export const keep: Keep = (details, { key, value }) => {
  if (key === 'request_id' && typeof value === 'string' && value.startsWith('req_')) details.provider ??= 'anthropic';
};
