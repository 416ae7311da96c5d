/**
 * A failure in plain words, for a terminal or a page: what happened in a few words, what that means in a sentence or
 * two, and what a person can do. It names the provider's own pages where the failure tells the provider.
 */

import { FAILURES, type Failure, type FailureType } from './failure.ts';
import { formatDelay } from './format-delay.ts';

/** What {@link describeFailure} gives. */
export interface FailureDescription {
  /** A few words and where they come from: `Service overloaded (HTTP 429)`. */
  readonly headline: string;
  /** What it means, then what the server said. */
  readonly explanation: string;
  /** What a person can do, the most helpful first. Empty when waiting is all there is, or nothing is. */
  readonly actions: readonly string[];
}

type Words = readonly [headline: string, meaning: string];

const WORDS: Readonly<Record<FailureType, Words>> = /* @__PURE__ */ Object.freeze({
  rate_limit: ['Rate limit reached', 'More requests or tokens were sent than the provider accepts in this time.'],
  overloaded: ['Service overloaded', 'The provider has more requests than it can serve. It is not your limit.'],
  server_error: ['Server error', 'Something went wrong on the side of the provider.'],
  timeout: ['Request timed out', 'There was no answer in time.'],
  connection_error: ['Connection failed', 'The connection to the server could not be made, or broke.'],
  stream_interrupted: ['Stream interrupted', 'The answer broke off before it was complete.'],
  cache_error: ['Prompt cache failed', 'The provider could not use its prompt cache.'],
  provider_unavailable: [
    'Provider unavailable',
    'Something in front of the provider answered that it cannot be reached.',
  ],
  auth_invalid: ['API key not accepted', 'The provider does not know the key, or knows it no longer.'],
  permission_denied: ['Access denied', 'The key is known, but not allowed to do this.'],
  context_too_long: [
    'Input too long',
    'The request is larger than the model or the limit of the account admits at once.',
  ],
  invalid_request: ['Request not accepted', 'The request is refused as it stands.'],
  content_policy: ['Blocked by content policy', 'A filter of the provider has stopped the prompt or the answer.'],
  quota_exhausted: [
    'Quota used up',
    'A quota or spending limit is used up. It does not come back by asking again soon.',
  ],
  billing_error: ['Billing problem', 'The account has no credits, or its payment did not work.'],
  model_not_found: ['Model not found', 'There is no such model, or not for this key.'],
  model_deprecated: ['Model withdrawn', 'The provider has taken this model out of service.'],
  unsupported_feature: ['Feature not supported', 'The model or endpoint does not have what the request asks for.'],
  account_suspended: ['Account suspended', 'The provider has closed the account or the organization.'],
  aborted: ['Cancelled', 'The request was cancelled before it was answered.'],
  unknown: ['Unknown error', 'Nothing in this failure tells what it is, so it is not retried.'],
});

interface Provider {
  readonly name: string;
  readonly keys: string;
  readonly billing: string;
  readonly limits: string;
}

const pages = (name: string, site: string, keys: string, billing: string, limits: string): Provider => ({
  name,
  keys: site + keys,
  billing: site + billing,
  limits: site + limits,
});

/** Where each provider keeps keys, billing and limits. */
const PROVIDERS: ReadonlyMap<string, Provider> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries({
    anthropic: /* @__PURE__ */ pages(
      'Anthropic',
      'https://console.anthropic.com/settings/',
      'keys',
      'billing',
      'limits',
    ),
    openai: /* @__PURE__ */ pages(
      'OpenAI',
      'https://platform.openai.com/',
      'api-keys',
      'settings/organization/billing',
      'settings/organization/limits',
    ),
    google: /* @__PURE__ */ pages('Google', 'https://aistudio.google.com/', 'apikey', 'usage', 'usage'),
    azure: /* @__PURE__ */ pages('Azure', 'https://portal.azure.com/', '', '', ''),
    bedrock: /* @__PURE__ */ pages(
      'Amazon Bedrock',
      'https://console.aws.amazon.com/',
      'iam',
      'billing',
      'servicequotas',
    ),
    openrouter: /* @__PURE__ */ pages('OpenRouter', 'https://openrouter.ai/settings/', 'keys', 'credits', 'keys'),
    groq: /* @__PURE__ */ pages('Groq', 'https://console.groq.com/', 'keys', 'settings/billing', 'settings/limits'),
    mistral: /* @__PURE__ */ pages('Mistral', 'https://console.mistral.ai/', 'api-keys', 'billing', 'limits'),
    xai: /* @__PURE__ */ pages('xAI', 'https://console.x.ai/', '', '', ''),
    cohere: /* @__PURE__ */ pages('Cohere', 'https://dashboard.cohere.com/', 'api-keys', 'billing', 'api-keys'),
    together: /* @__PURE__ */ pages(
      'Together',
      'https://api.together.ai/settings/',
      'api-keys',
      'billing',
      'organization',
    ),
    deepseek: /* @__PURE__ */ pages('DeepSeek', 'https://platform.deepseek.com/', 'api_keys', 'top_up', 'usage'),
  }),
);

/** Which of a provider's pages helps. */
const PAGE: Readonly<Partial<Record<FailureType, 'keys' | 'billing' | 'limits'>>> = /* @__PURE__ */ Object.freeze({
  auth_invalid: 'keys',
  permission_denied: 'keys',
  quota_exhausted: 'limits',
  billing_error: 'billing',
});

/** Says a failure in plain words. Pure; the provider's message is quoted, and is scrubbed in the failure already. */
export function describeFailure(failure: Failure): FailureDescription {
  const { type, message, retryAfterMs, retryable } = failure;
  const [title, meaning] = WORDS[type];
  const source = sourceOf(failure);
  const sentences = [meaning];
  if (retryAfterMs !== undefined) sentences.push(`It asks to wait ${formatDelay(retryAfterMs)}.`);
  // Last, for nobody knows how it ends.
  const speaker = failure.phase === 'connect' ? 'The error says' : 'It said';
  if (message !== '' && message !== `HTTP ${failure.status}`) sentences.push(`${speaker}: ${oneLine(message)}`);
  return {
    headline: source === '' ? title : `${title} (${source})`,
    explanation: sentences.join(' '),
    actions: retryable ? [] : actionsFor(failure),
  };
}

/** Where the failure was seen: a status, a place, or a code. */
function sourceOf({ status, phase, code }: Failure): string {
  if (status !== undefined && status >= 400) return `HTTP ${status}`;
  return phase === 'stream' ? 'inside the answer' : (code ?? '');
}

function actionsFor({ type, provider, action }: Failure): readonly string[] {
  const actions: string[] = [];
  const general = action ?? FAILURES[type].action;
  if (general !== null) actions.push(general);
  if (provider === 'ollama' && type === 'model_not_found') actions.push('Fetch it first: ollama pull <model>');
  const known = PROVIDERS.get(provider ?? '');
  const page = PAGE[type];
  if (known !== undefined && page !== undefined) actions.push(`${known.name}: ${known[page]}`);
  return actions;
}

const MAX_QUOTE = 300;

/** Nothing in it moves a cursor, sets a colour or turns the direction of reading. */
function oneLine(message: string): string {
  const line = message
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]+/gu, '')
    .trim();
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE - 1)}…` : line;
}
