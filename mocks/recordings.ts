/**
 * Every recording by its name. Written by `node scripts/list-recordings.mjs` from the files in `recordings/`; to add
 * one, add its file and run the script again.
 */

import type { Recording } from './recording.ts';
import anthropic400InvalidRequest from './recordings/anthropic-400-invalid-request.json' with { type: 'json' };
import anthropic400PromptTooLong from './recordings/anthropic-400-prompt-too-long.json' with { type: 'json' };
import anthropic404Model from './recordings/anthropic-404-model.json' with { type: 'json' };
import anthropic413RequestTooLarge from './recordings/anthropic-413-request-too-large.json' with { type: 'json' };
import anthropic429AccountLimit from './recordings/anthropic-429-account-limit.json' with { type: 'json' };
import anthropic429ExtraUsageRequired from './recordings/anthropic-429-extra-usage-required.json' with { type: 'json' };
import anthropic429OverloadedBare from './recordings/anthropic-429-overloaded-bare.json' with { type: 'json' };
import anthropic429RateLimitedNoHint from './recordings/anthropic-429-rate-limited-no-hint.json' with { type: 'json' };
import anthropic502OverloadedBare from './recordings/anthropic-502-overloaded-bare.json' with { type: 'json' };
import anthropic529OverloadedDetailsNull from './recordings/anthropic-529-overloaded-details-null.json' with { type: 'json' };
import anthropicStreamApiErrorAfterText from './recordings/anthropic-stream-api-error-after-text.json' with { type: 'json' };
import anthropicStreamFirstEventOverloaded from './recordings/anthropic-stream-first-event-overloaded.json' with { type: 'json' };
import anthropicStreamRateLimitedInBand from './recordings/anthropic-stream-rate-limited-in-band.json' with { type: 'json' };
import azure200StreamRefused from './recordings/azure-200-stream-refused.json' with { type: 'json' };
import azure400ContentFilter from './recordings/azure-400-content-filter.json' with { type: 'json' };
import azure401AccessDenied from './recordings/azure-401-access-denied.json' with { type: 'json' };
import azure42933sText from './recordings/azure-429-33s-text.json' with { type: 'json' };
import bedrock400InvalidModel from './recordings/bedrock-400-invalid-model.json' with { type: 'json' };
import bedrock429TooManyRequests from './recordings/bedrock-429-too-many-requests.json' with { type: 'json' };
import bedrock429TooManyTokens from './recordings/bedrock-429-too-many-tokens.json' with { type: 'json' };
import bedrock429TooManyTokensPerDay from './recordings/bedrock-429-too-many-tokens-per-day.json' with { type: 'json' };
import cloudcode429SubSecond from './recordings/cloudcode-429-sub-second.json' with { type: 'json' };
import cloudflare520Html from './recordings/cloudflare-520-html.json' with { type: 'json' };
import cloudflare524Empty from './recordings/cloudflare-524-empty.json' with { type: 'json' };
import cohere429MonthlyTrial from './recordings/cohere-429-monthly-trial.json' with { type: 'json' };
import cohere429PerMinuteTrial from './recordings/cohere-429-per-minute-trial.json' with { type: 'json' };
import deepseek402InsufficientBalance from './recordings/deepseek-402-insufficient-balance.json' with { type: 'json' };
import envoy503Text from './recordings/envoy-503-text.json' with { type: 'json' };
import gemini403ConsumerSuspended from './recordings/gemini-403-consumer-suspended.json' with { type: 'json' };
import gemini404Model from './recordings/gemini-404-model.json' with { type: 'json' };
import gemini429CapacityNoDetails from './recordings/gemini-429-capacity-no-details.json' with { type: 'json' };
import gemini429PerMinuteMessage56s from './recordings/gemini-429-per-minute-message-56s.json' with { type: 'json' };
import gemini429QuotaZero from './recordings/gemini-429-quota-zero.json' with { type: 'json' };
import gemini429RetryInfoFractional from './recordings/gemini-429-retry-info-fractional.json' with { type: 'json' };
import gemini503HighDemand from './recordings/gemini-503-high-demand.json' with { type: 'json' };
import groq400ToolUseFailed from './recordings/groq-400-tool-use-failed.json' with { type: 'json' };
import groq429TpdMinutes from './recordings/groq-429-tpd-minutes.json' with { type: 'json' };
import groq429Tpm from './recordings/groq-429-tpm.json' with { type: 'json' };
import huggingface503Loading from './recordings/huggingface-503-loading.json' with { type: 'json' };
import ietf429RetryAfterBeatsRatelimit from './recordings/ietf-429-retry-after-beats-ratelimit.json' with { type: 'json' };
import lb503Html from './recordings/lb-503-html.json' with { type: 'json' };
import mistral429Code1300 from './recordings/mistral-429-code-1300.json' with { type: 'json' };
import mistral503TierCapacity from './recordings/mistral-503-tier-capacity.json' with { type: 'json' };
import nginx502Html from './recordings/nginx-502-html.json' with { type: 'json' };
import nvidia400Degraded from './recordings/nvidia-400-degraded.json' with { type: 'json' };
import ollama400NoTools from './recordings/ollama-400-no-tools.json' with { type: 'json' };
import ollama404Model from './recordings/ollama-404-model.json' with { type: 'json' };
import openai400ContextLength from './recordings/openai-400-context-length.json' with { type: 'json' };
import openai400WebSearchUnsupported from './recordings/openai-400-web-search-unsupported.json' with { type: 'json' };
import openai401InvalidKey from './recordings/openai-401-invalid-key.json' with { type: 'json' };
import openai429InsufficientQuota from './recordings/openai-429-insufficient-quota.json' with { type: 'json' };
import openai429RequestTooLarge from './recordings/openai-429-request-too-large.json' with { type: 'json' };
import openai429Tpm28ms from './recordings/openai-429-tpm-28ms.json' with { type: 'json' };
import openai429Tpm6ms from './recordings/openai-429-tpm-6ms.json' with { type: 'json' };
import openai429TpmFractionalSeconds from './recordings/openai-429-tpm-fractional-seconds.json' with { type: 'json' };
import openai500ServerError from './recordings/openai-500-server-error.json' with { type: 'json' };
import openai503ServerIsOverloaded from './recordings/openai-503-server-is-overloaded.json' with { type: 'json' };
import openaiStreamChatServerError from './recordings/openai-stream-chat-server-error.json' with { type: 'json' };
import openaiStreamResponsesErrorAfterItem from './recordings/openai-stream-responses-error-after-item.json' with { type: 'json' };
import openaiStreamResponsesInsufficientQuota from './recordings/openai-stream-responses-insufficient-quota.json' with { type: 'json' };
import openaiStreamResponsesRateLimit from './recordings/openai-stream-responses-rate-limit.json' with { type: 'json' };
import openaiStreamResponsesToplevelError from './recordings/openai-stream-responses-toplevel-error.json' with { type: 'json' };
import opencode429MonthlyLimit from './recordings/opencode-429-monthly-limit.json' with { type: 'json' };
import openrouter400ModelNotFound from './recordings/openrouter-400-model-not-found.json' with { type: 'json' };
import openrouter403Guardrail from './recordings/openrouter-403-guardrail.json' with { type: 'json' };
import openrouter404ModelDeprecated from './recordings/openrouter-404-model-deprecated.json' with { type: 'json' };
import openrouter404PrivacyRestricted from './recordings/openrouter-404-privacy-restricted.json' with { type: 'json' };
import openrouter429ProviderReturnedError from './recordings/openrouter-429-provider-returned-error.json' with { type: 'json' };
import openrouter429UpstreamSharedPool from './recordings/openrouter-429-upstream-shared-pool.json' with { type: 'json' };
import openrouterStreamNestedGemini429 from './recordings/openrouter-stream-nested-gemini-429.json' with { type: 'json' };
import openrouterStreamResponsesFailed from './recordings/openrouter-stream-responses-failed.json' with { type: 'json' };
import together429CreditLimitType from './recordings/together-429-credit-limit-type.json' with { type: 'json' };
import vercelGateway429 from './recordings/vercel-gateway-429.json' with { type: 'json' };
import vertex404PublisherModel from './recordings/vertex-404-publisher-model.json' with { type: 'json' };
import vertexStreamFirstChunk429 from './recordings/vertex-stream-first-chunk-429.json' with { type: 'json' };
import vllm400Context from './recordings/vllm-400-context.json' with { type: 'json' };
import vllmStream400InBand from './recordings/vllm-stream-400-in-band.json' with { type: 'json' };
import voyage400Detail from './recordings/voyage-400-detail.json' with { type: 'json' };
import xai403NoCredits from './recordings/xai-403-no-credits.json' with { type: 'json' };
import xai403OutOfCredits from './recordings/xai-403-out-of-credits.json' with { type: 'json' };

export type { Recording } from './recording.ts';

/** The names of the recordings. */
export type RecordingName =
  | 'anthropic-400-invalid-request'
  | 'anthropic-400-prompt-too-long'
  | 'anthropic-404-model'
  | 'anthropic-413-request-too-large'
  | 'anthropic-429-account-limit'
  | 'anthropic-429-extra-usage-required'
  | 'anthropic-429-overloaded-bare'
  | 'anthropic-429-rate-limited-no-hint'
  | 'anthropic-502-overloaded-bare'
  | 'anthropic-529-overloaded-details-null'
  | 'anthropic-stream-api-error-after-text'
  | 'anthropic-stream-first-event-overloaded'
  | 'anthropic-stream-rate-limited-in-band'
  | 'azure-200-stream-refused'
  | 'azure-400-content-filter'
  | 'azure-401-access-denied'
  | 'azure-429-33s-text'
  | 'bedrock-400-invalid-model'
  | 'bedrock-429-too-many-requests'
  | 'bedrock-429-too-many-tokens'
  | 'bedrock-429-too-many-tokens-per-day'
  | 'cloudcode-429-sub-second'
  | 'cloudflare-520-html'
  | 'cloudflare-524-empty'
  | 'cohere-429-monthly-trial'
  | 'cohere-429-per-minute-trial'
  | 'deepseek-402-insufficient-balance'
  | 'envoy-503-text'
  | 'gemini-403-consumer-suspended'
  | 'gemini-404-model'
  | 'gemini-429-capacity-no-details'
  | 'gemini-429-per-minute-message-56s'
  | 'gemini-429-quota-zero'
  | 'gemini-429-retry-info-fractional'
  | 'gemini-503-high-demand'
  | 'groq-400-tool-use-failed'
  | 'groq-429-tpd-minutes'
  | 'groq-429-tpm'
  | 'huggingface-503-loading'
  | 'ietf-429-retry-after-beats-ratelimit'
  | 'lb-503-html'
  | 'mistral-429-code-1300'
  | 'mistral-503-tier-capacity'
  | 'nginx-502-html'
  | 'nvidia-400-degraded'
  | 'ollama-400-no-tools'
  | 'ollama-404-model'
  | 'openai-400-context-length'
  | 'openai-400-web-search-unsupported'
  | 'openai-401-invalid-key'
  | 'openai-429-insufficient-quota'
  | 'openai-429-request-too-large'
  | 'openai-429-tpm-28ms'
  | 'openai-429-tpm-6ms'
  | 'openai-429-tpm-fractional-seconds'
  | 'openai-500-server-error'
  | 'openai-503-server-is-overloaded'
  | 'openai-stream-chat-server-error'
  | 'openai-stream-responses-error-after-item'
  | 'openai-stream-responses-insufficient-quota'
  | 'openai-stream-responses-rate-limit'
  | 'openai-stream-responses-toplevel-error'
  | 'opencode-429-monthly-limit'
  | 'openrouter-400-model-not-found'
  | 'openrouter-403-guardrail'
  | 'openrouter-404-model-deprecated'
  | 'openrouter-404-privacy-restricted'
  | 'openrouter-429-provider-returned-error'
  | 'openrouter-429-upstream-shared-pool'
  | 'openrouter-stream-nested-gemini-429'
  | 'openrouter-stream-responses-failed'
  | 'together-429-credit-limit-type'
  | 'vercel-gateway-429'
  | 'vertex-404-publisher-model'
  | 'vertex-stream-first-chunk-429'
  | 'vllm-400-context'
  | 'vllm-stream-400-in-band'
  | 'voyage-400-detail'
  | 'xai-403-no-credits'
  | 'xai-403-out-of-credits';

/** Every recording, by its name. Do not change them, because they are shared. */
// TypeScript reads the words in JSON as any `string`; the tests hold each file against `Recording`.
export const recordings: Readonly<Record<RecordingName, Recording>> = {
  'anthropic-400-invalid-request': anthropic400InvalidRequest,
  'anthropic-400-prompt-too-long': anthropic400PromptTooLong,
  'anthropic-404-model': anthropic404Model,
  'anthropic-413-request-too-large': anthropic413RequestTooLarge,
  'anthropic-429-account-limit': anthropic429AccountLimit,
  'anthropic-429-extra-usage-required': anthropic429ExtraUsageRequired,
  'anthropic-429-overloaded-bare': anthropic429OverloadedBare,
  'anthropic-429-rate-limited-no-hint': anthropic429RateLimitedNoHint,
  'anthropic-502-overloaded-bare': anthropic502OverloadedBare,
  'anthropic-529-overloaded-details-null': anthropic529OverloadedDetailsNull,
  'anthropic-stream-api-error-after-text': anthropicStreamApiErrorAfterText,
  'anthropic-stream-first-event-overloaded': anthropicStreamFirstEventOverloaded,
  'anthropic-stream-rate-limited-in-band': anthropicStreamRateLimitedInBand,
  'azure-200-stream-refused': azure200StreamRefused,
  'azure-400-content-filter': azure400ContentFilter,
  'azure-401-access-denied': azure401AccessDenied,
  'azure-429-33s-text': azure42933sText,
  'bedrock-400-invalid-model': bedrock400InvalidModel,
  'bedrock-429-too-many-requests': bedrock429TooManyRequests,
  'bedrock-429-too-many-tokens': bedrock429TooManyTokens,
  'bedrock-429-too-many-tokens-per-day': bedrock429TooManyTokensPerDay,
  'cloudcode-429-sub-second': cloudcode429SubSecond,
  'cloudflare-520-html': cloudflare520Html,
  'cloudflare-524-empty': cloudflare524Empty,
  'cohere-429-monthly-trial': cohere429MonthlyTrial,
  'cohere-429-per-minute-trial': cohere429PerMinuteTrial,
  'deepseek-402-insufficient-balance': deepseek402InsufficientBalance,
  'envoy-503-text': envoy503Text,
  'gemini-403-consumer-suspended': gemini403ConsumerSuspended,
  'gemini-404-model': gemini404Model,
  'gemini-429-capacity-no-details': gemini429CapacityNoDetails,
  'gemini-429-per-minute-message-56s': gemini429PerMinuteMessage56s,
  'gemini-429-quota-zero': gemini429QuotaZero,
  'gemini-429-retry-info-fractional': gemini429RetryInfoFractional,
  'gemini-503-high-demand': gemini503HighDemand,
  'groq-400-tool-use-failed': groq400ToolUseFailed,
  'groq-429-tpd-minutes': groq429TpdMinutes,
  'groq-429-tpm': groq429Tpm,
  'huggingface-503-loading': huggingface503Loading,
  'ietf-429-retry-after-beats-ratelimit': ietf429RetryAfterBeatsRatelimit,
  'lb-503-html': lb503Html,
  'mistral-429-code-1300': mistral429Code1300,
  'mistral-503-tier-capacity': mistral503TierCapacity,
  'nginx-502-html': nginx502Html,
  'nvidia-400-degraded': nvidia400Degraded,
  'ollama-400-no-tools': ollama400NoTools,
  'ollama-404-model': ollama404Model,
  'openai-400-context-length': openai400ContextLength,
  'openai-400-web-search-unsupported': openai400WebSearchUnsupported,
  'openai-401-invalid-key': openai401InvalidKey,
  'openai-429-insufficient-quota': openai429InsufficientQuota,
  'openai-429-request-too-large': openai429RequestTooLarge,
  'openai-429-tpm-28ms': openai429Tpm28ms,
  'openai-429-tpm-6ms': openai429Tpm6ms,
  'openai-429-tpm-fractional-seconds': openai429TpmFractionalSeconds,
  'openai-500-server-error': openai500ServerError,
  'openai-503-server-is-overloaded': openai503ServerIsOverloaded,
  'openai-stream-chat-server-error': openaiStreamChatServerError,
  'openai-stream-responses-error-after-item': openaiStreamResponsesErrorAfterItem,
  'openai-stream-responses-insufficient-quota': openaiStreamResponsesInsufficientQuota,
  'openai-stream-responses-rate-limit': openaiStreamResponsesRateLimit,
  'openai-stream-responses-toplevel-error': openaiStreamResponsesToplevelError,
  'opencode-429-monthly-limit': opencode429MonthlyLimit,
  'openrouter-400-model-not-found': openrouter400ModelNotFound,
  'openrouter-403-guardrail': openrouter403Guardrail,
  'openrouter-404-model-deprecated': openrouter404ModelDeprecated,
  'openrouter-404-privacy-restricted': openrouter404PrivacyRestricted,
  'openrouter-429-provider-returned-error': openrouter429ProviderReturnedError,
  'openrouter-429-upstream-shared-pool': openrouter429UpstreamSharedPool,
  'openrouter-stream-nested-gemini-429': openrouterStreamNestedGemini429,
  'openrouter-stream-responses-failed': openrouterStreamResponsesFailed,
  'together-429-credit-limit-type': together429CreditLimitType,
  'vercel-gateway-429': vercelGateway429,
  'vertex-404-publisher-model': vertex404PublisherModel,
  'vertex-stream-first-chunk-429': vertexStreamFirstChunk429,
  'vllm-400-context': vllm400Context,
  'vllm-stream-400-in-band': vllmStream400InBand,
  'voyage-400-detail': voyage400Detail,
  'xai-403-no-credits': xai403NoCredits,
  'xai-403-out-of-credits': xai403OutOfCredits,
} as Readonly<Record<RecordingName, Recording>>;
