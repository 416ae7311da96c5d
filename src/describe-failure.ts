/** A failure in words, for a terminal or a page: what happened, what it means, and what a person can do. */

import { FAILURES, type Failure, type FailureType } from './failure.ts';
import { formatDelay } from './format-delay.ts';

export interface FailureDescription {
  /** A few words without a full stop: "Service overloaded (HTTP 429)". */
  readonly headline: string;
  /** A sentence or two, with what the server said. */
  readonly explanation: string;
  /** What to do, most useful first; empty when waiting is all. */
  readonly actions: readonly string[];
}

const HEADLINES: Readonly<Record<FailureType, string>> = {
  rate_limit: 'Rate limit reached',
  overloaded: 'Service overloaded',
  server_error: 'Server error',
  timeout: 'Timed out',
  connection_error: 'Connection failed',
  stream_interrupted: 'Stream interrupted',
  cache_error: 'Cache error',
  provider_unavailable: 'Service unavailable',
  auth_invalid: 'Not authenticated',
  permission_denied: 'Permission denied',
  context_too_long: 'Input too long',
  invalid_request: 'Request refused',
  content_policy: 'Refused by the content policy',
  quota_exhausted: 'Quota exhausted',
  billing_error: 'Billing problem',
  model_not_found: 'Model not found',
  model_deprecated: 'Model withdrawn',
  unsupported_feature: 'Not supported',
  account_suspended: 'Account suspended',
  aborted: 'Cancelled',
  unknown: 'Unknown failure',
};

/** Where keys, limits and bills are looked after. */
const CONSOLES: Readonly<Record<string, string>> = {
  anthropic: 'https://console.anthropic.com/settings',
  openai: 'https://platform.openai.com/settings/organization',
  'azure-openai': 'https://portal.azure.com',
  google: 'https://aistudio.google.com',
  'google-vertex': 'https://console.cloud.google.com/vertex-ai',
  bedrock: 'https://console.aws.amazon.com/bedrock',
  openrouter: 'https://openrouter.ai/settings',
  groq: 'https://console.groq.com/settings',
  mistral: 'https://console.mistral.ai',
  xai: 'https://console.x.ai',
  cohere: 'https://dashboard.cohere.com',
  together: 'https://api.together.ai/settings',
  deepseek: 'https://platform.deepseek.com',
};

const AT_THE_CONSOLE: ReadonlySet<FailureType> = /* @__PURE__ */ new Set<FailureType>([
  'auth_invalid',
  'permission_denied',
  'quota_exhausted',
  'billing_error',
  'account_suspended',
]);

/** Describes a failure. Pure: the same failure gives the same words. */
export function describeFailure(failure: Failure): FailureDescription {
  const { type, status, message, retryable, retryAfterMs, provider } = failure;
  const told = message === '' ? '' : `The server said: ${message.trim().replace(/[^.!?]$/, '$&.')} `;
  const when = retryAfterMs === undefined ? '' : ` It asked to be left alone for ${formatDelay(retryAfterMs)}.`;
  const outlook = retryable ? 'Asking again can help.' : 'Asking again as it stands will not help.';
  const action = failure.action ?? FAILURES[type].action;
  const page = provider === undefined ? undefined : CONSOLES[provider];
  const actions = action === null ? [] : [action];
  if (page !== undefined && AT_THE_CONSOLE.has(type)) actions.push(`Open ${page}`);
  return {
    headline: status === undefined ? HEADLINES[type] : `${HEADLINES[type]} (HTTP ${status})`,
    explanation: `${told}${outlook}${when}`,
    actions,
  };
}
