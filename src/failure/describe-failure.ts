/**
 * Describes a failure in plain words, for a terminal or a page: what happened, what it means, and what a person can do.
 * It names the provider's own pages if the provider is known.
 */

import { expectObject, mismatch } from '../runtime/expect.ts';
import { type Failure, FAILURE_TEXTS, type FailureType, isFailureType, TYPES } from './failure.ts';
import { oneLine, withSource } from './failure-label.ts';
import { formatDelay } from './format-delay.ts';

/** The result of {@link describeFailure}. */
interface FailureDescription {
  /** A few words and their source: `Service overloaded (HTTP 429)`. */
  readonly headline: string;
  /** What the failure means, then the server's message. */
  readonly explanation: string;
  /** What a person can do, the most helpful first. Empty if a person can only wait, or nothing helps. */
  readonly actions: readonly string[];
}

/** The provider's name, its site, and the paths of its pages on keys, billing and limits. */
const PROVIDERS = /* @__PURE__ */ new Map<string | undefined, readonly string[]>([
  ['anthropic', ['Anthropic', 'https://console.anthropic.com/settings/', 'keys', 'billing', 'limits']],
  [
    'openai',
    [
      'OpenAI',
      'https://platform.openai.com/',
      'api-keys',
      'settings/organization/billing',
      'settings/organization/limits',
    ],
  ],
  ['google', ['Google', 'https://aistudio.google.com/', 'apikey', 'usage', 'usage']],
  ['azure', ['Azure', 'https://portal.azure.com/', '', '', '']],
  ['bedrock', ['Amazon Bedrock', 'https://console.aws.amazon.com/', 'iam', 'billing', 'servicequotas']],
  ['openrouter', ['OpenRouter', 'https://openrouter.ai/settings/', 'keys', 'credits', 'keys']],
  ['groq', ['Groq', 'https://console.groq.com/', 'keys', 'settings/billing', 'settings/limits']],
  ['mistral', ['Mistral', 'https://console.mistral.ai/', 'api-keys', 'billing', 'limits']],
  ['xai', ['xAI', 'https://console.x.ai/', '', '', '']],
  ['cohere', ['Cohere', 'https://dashboard.cohere.com/', 'api-keys', 'billing', 'api-keys']],
  ['together', ['Together', 'https://api.together.ai/settings/', 'api-keys', 'billing', 'organization']],
  ['deepseek', ['DeepSeek', 'https://platform.deepseek.com/', 'api_keys', 'top_up', 'usage']],
]);

/**
 * Describes a failure in plain words. Pure; quotes the provider's message, whose secrets are already masked.
 *
 * @throws TypeError for anything else, such as the null that `classify` returns for a success
 */
export function describeFailure(failure: Failure): FailureDescription {
  expectObject('failure', failure, 'a failure, such as the result of `classify`');
  if (!isFailureType(failure.type)) throw new TypeError(mismatch('failure.type', 'a failure type', failure.type));
  const { type, message, retryAfterMs, retryable, requestId } = failure;
  const [title, meaning] = FAILURE_TEXTS[type];
  const sentences = [meaning];
  if (retryAfterMs !== undefined) sentences.push(`It asks to wait ${formatDelay(retryAfterMs)}.`);
  if (requestId !== undefined) sentences.push(`Its id of the request is ${oneLine(requestId)}.`);
  // Last, because the message may end without a full stop.
  const speaker = failure.phase === 'connect' ? 'The error says' : 'It said';
  if (message !== '' && message !== `HTTP ${failure.status}`) sentences.push(`${speaker}: ${oneLine(message)}`);
  return {
    headline: withSource(title, failure),
    explanation: sentences.join(' '),
    actions: [...(retryable ? ownAction(failure) : actionsFor(failure)), ...timeLimitAdvice(failure)],
  };
}

const ownAction = ({ action }: Failure): readonly string[] => (action === undefined ? [] : [action]);

function actionsFor({ type, provider, action }: Failure): readonly string[] {
  const actions: string[] = [];
  const general = action ?? TYPES[type].action;
  if (general !== null) actions.push(general);
  if (provider === 'ollama' && type === 'model_not_found') actions.push('Fetch it first: ollama pull <model>');
  const [name, site, keys, billing, limits] = PROVIDERS.get(provider) ?? [];
  const pages: Readonly<Partial<Record<FailureType, string | undefined>>> = {
    auth_invalid: keys,
    permission_denied: keys,
    quota_exhausted: limits,
    billing_error: billing,
  };
  const page = pages[type];
  if (page !== undefined) actions.push(`${name}: ${site}${page}`);
  return actions;
}

/** Node's own limits end a slow answer, whatever the options of this library say. */
function timeLimitAdvice({ code }: Failure): readonly string[] {
  const option = /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.exec(code ?? '')?.[1]?.toLowerCase();
  if (option === undefined) return [];
  return [
    `Node's fetch waits 300 s here. For a slow model, use createUndiciFetch({ ${option}TimeoutMs: 0 }) of retry-transport/undici; 0 means none.`,
  ];
}
