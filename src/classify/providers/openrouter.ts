/**
 * OpenRouter: `error_type` is the stable name if the native code is vague, `availability` says whether to retry, and
 * `metadata.limit_source` says whose limit it is.
 */

import type { Family, Keep } from '../family.ts';

export const OPENROUTER: Family = {
  provider: 'openrouter',
  headers: 'x-openrouter-request-id',
  signature: 'openrouter.ai',
  decisive: [
    // The request alone costs more than all concurrent requests may.
    ['billing_error', 'weight_exceeds_budget openrouter_credits payment_required'],
    // 402, but temporary: other running requests hold the budget.
    ['rate_limit', 'in_flight_budget_exhausted openrouter_in_flight_budget'],
    ['quota_exhausted', 'openrouter_key_limit openrouter_free_tier_daily openrouter_(?!in_flight)\\w+_budget'],
    ['auth_invalid', 'authentication'],
    ['context_too_long', 'token_limit_exceeded string_too_long payload_too_large'],
    ['content_policy', 'refusal', 'prompt injection|moderation|flagged'],
    ['model_not_found', 'no_endpoints', 'no endpoints found for|not a valid model id|no allowed providers'],
    ['model_deprecated', 'free_variant_ended'],
    ['permission_denied', 'privacy_restricted', 'data policy'],
    ['unsupported_feature', 'unsupported_image_format', 'no endpoints found that support'],
  ],
  anyStatus: [
    ['billing_error', '', 'requires more credits'],
    ['quota_exhausted', '', 'key limit exceeded'],
  ],
  usual: [
    ['rate_limit', 'upstream_provider_\\w+'],
    ['overloaded', 'capacity_exhausted provider_overloaded'],
    ['provider_unavailable', 'provider_unavailable temporarily_unavailable'],
  ],
};

export const keep: Keep = (details, { key, value, envelope }) => {
  if (/^(limit_source|provider_name|availability)$/.test(key)) details.provider = 'openrouter';
  if (key === 'retryable' && typeof value === 'boolean' && envelope === 'availability') details.retryable = value;
};
