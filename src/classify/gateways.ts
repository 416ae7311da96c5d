/** What stands in front of the providers and answers in their place: Cloudflare, nginx, Envoy, load balancers, gateways. */

import type { Family } from './family.ts';

export const CLOUDFLARE: Family = {
  provider: 'cloudflare',
  decisive: [['permission_denied', 'browser_signature_banned access_denied']],
  usual: [['timeout', 'origin_timeout connection_timed_out']],
};

export const ENVOY: Family = {
  provider: 'envoy',
  signature: 'upstreamconnecterror nohealthyupstream upstreamrequesttimeout',
  usual: [['provider_unavailable', '', 'upstream connect error|no healthy upstream']],
};

/** LiteLLM hands on what the provider said; its own refusals are budgets, which somebody has to raise. */
export const LITELLM: Family = {
  provider: 'litellm',
  anyStatus: [['quota_exhausted', '', 'budget has been exceeded|(crossed|exceeded) budget']],
};

/** OpenCode's gateway answers in Anthropic's envelope with names of its own. */
export const OPENCODE: Family = {
  provider: 'opencode',
  decisive: [
    ['quota_exhausted', '\\w+UsageLimitError MonthlyLimitError UserLimitError'],
    ['billing_error', 'CreditsError', 'no payment method'],
  ],
};
