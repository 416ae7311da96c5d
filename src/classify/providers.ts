/**
 * The names and the wording of each provider, in the order of their names, which also is the order in which a response is
 * recognised as theirs. `npm run pages` joins these tables and those of `common.ts` to `generated-rulebook.ts`; what no
 * table can express is in `provider-rules.ts`.
 */

import type { Family } from './family.ts';

export const PROVIDERS: Readonly<Record<string, Family>> = {
  // Alibaba's Model Studio (DashScope, Qwen): its own names in `code`, or OpenAI's envelope. A limit on tokens that
  // ends within a minute has OpenAI's message for a spent quota; only the link in the message distinguishes it.
  alibaba: {
    signature: 'help.aliyun.com alibabacloud.com',
    decisive: [['context_too_long', 'input length should be']],
    anyStatus: [['quota_exhausted', 'free allocated quota']],
    usual: [['invalid_request', '', 'InvalidParameter@0']],
  },
  // Anthropic: `error.type` is stable, `details.error_code` is more specific, and wording is declared unstable. But the
  // most frequent billing failures are 400 and 429 and show only in their wording.
  anthropic: {
    headers: 'anthropic-organization-id anthropic-ratelimit-requests-limit',
    decisive: [['billing_error', '', 'linked_organization']],
    anyStatus: [
      // In one case 400 and `invalid_request_error`, in the other 429 and `rate_limit_error`: a feature that the plan
      // does not include.
      ['billing_error', 'credit balance is too low|out of extra usage|(extra usage|usage credits?) (is|are) required'],
    ],
    usual: [
      ['rate_limit', '', 'ramp_limit'],
      ['provider_unavailable', '', 'cmek_'],
    ],
  },
  // Azure OpenAI: OpenAI's envelope with Azure's codes; the code may be the status as text.
  azure: {
    headers: 'apim-request-id x-ms-region azureml-model-session',
    signature: 'azureopenai aka.ms/oai',
    usual: [['rate_limit', '', '429@(400|403)']],
  },
  // Baidu's Qianfan: its first API answers 200 to everything, with `error_code` and `error_msg`. Other providers use
  // the same numbers.
  baidu: {
    signature: 'baidu.com baidubce.com',
    decisive: [['quota_exhausted', 'open api (daily|total) request limit']],
    usual: [['rate_limit', 'open api( qps)? request limit']],
  },
  // Amazon Bedrock: the exception is in a header, in `__type` or in a frame, and the body has at most a message.
  bedrock: {
    headers: 'x-amzn-errortype x-amzn-requestid',
    decisive: [
      ['quota_exhausted', '', 'ServiceQuota MONTHLY_REQUEST_COUNT'],
      ['permission_denied', 'unsupported countries'],
      ['auth_invalid', '', 'SignatureDoesNotMatch UnrecognizedClient'],
      ['model_not_found', 'model identifier is invalid'],
      ['billing_error', 'payment instrument'],
    ],
    anyStatus: [['quota_exhausted', 'reached for this month']],
    usual: [
      // 424; the documentation says to send the request again.
      ['server_error', '', 'ModelErrorException ModelStreamError InternalServerException InternalFailure'],
      ['invalid_request', '', '(Validation|Conflict)Exception@0'],
    ],
  },
  // Cloudflare, in front of many servers: pages, `error code: 524`, and problem JSON with `cloudflare_error`.
  cloudflare: {
    decisive: [['permission_denied', '', 'browser_signature_banned access_denied@']],
  },
  // Cohere: `{ id, message }`. One word of the message distinguishes a trial key's limit per minute from the one per
  // month.
  cohere: {
    signature: 'trialkey cohere.com',
    decisive: [['context_too_long', 'prompt cannot exceed']],
    // With 498, which is a refused prompt here and a lack of capacity at Groq.
    // https://github.com/cohere-ai/cohere-developer-experience/pull/189
    anyStatus: [['content_policy', 'usage guidelines']],
  },
  // DeepSeek: `code: invalid_request_error` for everything; 402 for the balance, and wording for the rest.
  deepseek: {
    signature: 'deepseek.com',
    decisive: [['model_not_found', 'model not exist']],
    anyStatus: [['billing_error', 'insufficient (account )?(balance|credit|fund)|balance is insufficient']],
  },
  // ElevenLabs: `{ detail: { status, message } }`, where the status is a name, and a spent quota is a 401.
  // https://help.elevenlabs.io/hc/en-us/articles/19572237925521,
  // https://help.elevenlabs.io/hc/en-us/articles/19571824571921
  elevenlabs: {
    signature: 'elevenlabs.io',
    // A spent quota and a shared free account are 429 too.
    anyStatus: [
      ['quota_exhausted', 'exceeds your quota'],
      ['account_suspended', 'unusual activity detected'],
    ],
  },
  // Envoy answers for a provider that it cannot reach.
  envoy: {
    signature: 'upstreamconnecterror nohealthyupstream upstreamrequesttimeout',
    usual: [['provider_unavailable', 'upstream connect error|no healthy upstream']],
  },
  // Google: Gemini, Vertex and Cloud Code. Every limit is `429 RESOURCE_EXHAUSTED`, and on the free tier the message of
  // a per-minute limit also begins with "You exceeded your current quota, please check your plan and billing details".
  // Only the details show whether the limit is per minute, per day or 0.
  google: {
    signature: 'ai.google.dev',
    decisive: [
      ['quota_exhausted', '', 'INSUFFICIENT_G1_CREDITS'],
      ['billing_error', 'requires billing|enable billing'],
      ['auth_invalid', 'reported as leaked'],
      ['permission_denied', 'location is not supported', 'SERVICE_DISABLED SERVICE_BLOCKED'],
      ['overloaded', '', 'MODEL_CAPACITY'],
    ],
    usual: [
      ['overloaded', 'high demand'],
      // 499 CANCELLED comes from the server: a request that the caller cancels gets no answer.
      ['server_error', '', 'CANCELLED@'],
    ],
    alone: [['stream_interrupted', 'without valid content']],
  },
  // Groq: OpenAI's vocabulary. Its daily limits are rolling windows with a correct wait, so they stay rate limits.
  groq: {
    headers: 'x-groq-region x-groq-id',
    signature: 'console.groq.com',
    decisive: [
      // 413 with a full bucket: a single request above the limit.
      ['context_too_long', '', 'rate_limit_exceeded@413'],
    ],
  },
  // Hugging Face: `{ error }`, with `estimated_time` while a model loads; Text Generation Inference adds `error_type`.
  // https://huggingface.co/docs/api-inference, https://github.com/huggingface/unity-api/issues/18
  huggingface: {
    headers: 'x-compute-type',
    signature: 'huggingface.co hf.co/',
    decisive: [['billing_error', 'requires a pro subscription']],
    // 424, if the server behind it has failed.
    usual: [['server_error', '', '(incomplete_)?generation@(424|500)']],
    alone: [['overloaded', 'is currently loading']],
  },
  // LiteLLM passes on the provider's error; its own refusals are budgets, which an administrator must raise.
  litellm: {
    anyStatus: [['quota_exhausted', 'budget has been exceeded|(crossed|exceeded) budget']],
  },
  // MiniMax: its own API answers 200 to everything, with `base_resp: { status_code, status_msg }`, where 0 is a
  // success.
  minimax: {
    signature: 'minimax.io minimaxi.com',
    decisive: [
      ['billing_error', '', '1008@0'],
      ['quota_exhausted', '', '2056@0'],
      ['auth_invalid', '', '(1004|2049)@0'],
      ['content_policy', 'new sensitive', '(1026|1027)@0'],
    ],
    usual: [
      // Requests, tokens, connections.
      ['rate_limit', '', '(1002|1039|1041)@0'],
      ['timeout', '', '1001@0'],
      ['invalid_request', '', '(1042|2013)@0'],
    ],
  },
  // Mistral: no `error` object; code, type and message are at the top. For capacity its type is wrong, but the message
  // is right.
  mistral: {
    headers: 'mistral-correlation-id x-mistral-correlation-id',
    signature: 'mistral.ai',
    usual: [['overloaded', 'capacity exceeded']],
  },
  // Moonshot (Kimi): OpenAI's envelope. Too many concurrent requests are a temporary 403, `permission_error`.
  moonshot: {
    signature: 'moonshot.cn moonshot.ai',
    anyStatus: [['rate_limit', 'concurrent request limit']],
  },
  // new-api and one-api, relays that resell access: `type: new_api_error`, often in Chinese. There, a user's quota is a
  // prepaid balance. https://github.com/QuantumNous/new-api, https://github.com/songquanpeng/one-api
  newapi: {
    anyStatus: [
      ['quota_exhausted', '额度已[用耗][尽完]|quota is not enough'],
      ['account_suspended', '(账号|[账用]户)已?被?[封禁]'],
    ],
    usual: [['provider_unavailable', '', 'get_channel_failed do_request_failed']],
  },
  // NVIDIA NIM: problem JSON, where a model is a function. A function without workers is a 400, and recovers.
  // https://github.com/tashfeenahmed/freellmapi/issues/522, https://github.com/Alishahryar1/free-claude-code/issues/956
  nvidia: {
    headers: 'nvcf-reqid nvcf-status',
    signature: 'nvidia.com',
    decisive: [['model_not_found', 'not found for account']],
    anyStatus: [['overloaded', 'degraded function']],
  },
  // Self-hosted servers: Ollama, llama.cpp and LM Studio send `{ "error": "a sentence" }`, in streams on its own line.
  ollama: {
    signature: 'trypullingitfirst maximumpendingrequests',
    decisive: [
      ['model_not_found', 'try pulling it first'],
      ['invalid_request', 'unexpected endpoint'],
    ],
    // 500, and no wait adds memory.
    anyStatus: [['invalid_request', 'more system memory']],
    usual: [['overloaded', 'server busy|maximum pending requests']],
  },
  // OpenAI, and the many that copy its `{ error: { message, type, param, code } }`: `code` decides, then `type`.
  openai: {
    headers: 'openai-processing-ms openai-organization openai-version',
    signature: 'platform.openai.com help.openai.com',
    decisive: [
      ['account_suspended', '', 'access_terminated@'],
      ['quota_exhausted', 'billing hard limit', 'usage_not_included'],
      ['context_too_long', 'reduce the length of the'],
      ['permission_denied', 'region,? or territory|organization must be verified'],
    ],
    anyStatus: [
      // A single request above the tokens of a whole minute: 429 `rate_limit_exceeded`, which no wait can fix.
      ['context_too_long', 'request too large for|reduced in order to run'],
      ['billing_error', 'account is not active'],
    ],
    usual: [
      ['rate_limit', '', '(tokens|requests)@0'],
      ['overloaded', '', 'slow_down conversation_locked'],
    ],
  },
  // OpenCode's gateway: Anthropic's envelope with its own names.
  opencode: {
    decisive: [['quota_exhausted', '', 'UserLimitError']],
  },
  // OpenRouter: `error_type` is the stable name if the native code is vague, `availability` says whether to retry, and
  // `metadata.limit_source` says whose limit it is.
  openrouter: {
    headers: 'x-openrouter-request-id',
    signature: 'openrouter.ai',
    decisive: [
      // The request alone costs more than all concurrent requests may.
      ['billing_error', '', 'weight_exceeds_budget openrouter_credits'],
      // 402, but temporary: other running requests hold the budget.
      ['rate_limit', '', 'in_flight_budget'],
      ['quota_exhausted', '', 'openrouter_key_limit openrouter_free_tier_daily'],
      ['auth_invalid', '', 'authentication@'],
      ['content_policy', 'prompt injection|moderation|flagged', 'refusal'],
      ['model_not_found', 'no endpoints found for|not a valid model id|no allowed providers', 'no_endpoints@'],
      ['model_deprecated', '', 'free_variant_ended'],
      ['permission_denied', 'data policy', 'privacy_restricted'],
      ['unsupported_feature', 'no endpoints found that support'],
    ],
    anyStatus: [
      ['billing_error', 'requires more credits'],
      ['quota_exhausted', 'key limit exceeded'],
    ],
    usual: [['rate_limit', '', 'upstream_provider_']],
  },
  // Tencent Cloud (Hunyuan): a 200 with `{ Response: { Error: { Code, Message } } }`.
  tencent: {
    signature: 'tencentcloudapi.com cloud.tencent.com',
    decisive: [['quota_exhausted', '', 'ResourcePackExhausted']],
  },
  // Together: plain rate limits have `type: credit_limit`, so this name is ignored: the message and the status decide.
  together: {
    signature: 'together.ai together.xyz',
    decisive: [
      ['model_not_found', 'unable to access (non serverless )?model'],
      ['context_too_long', 'max new tokens must be'],
    ],
    anyStatus: [['billing_error', '(?<!minute )credit limit exceeded']],
  },
  // Volcengine Ark (Doubao): OpenAI's envelope. Limits that a person has set and the hourly limits of a plan are 429
  // too.
  volcengine: {
    signature: 'volcengine.com volces.com',
    // Not `QuotaExceeded`, which also means a full queue.
    decisive: [['quota_exhausted', '', 'AccountQuotaExceeded SetLimitExceeded']],
  },
  // xAI: `error` is a text and `code` a sentence; spent credits are 403 or 429, a wrong key is 400.
  xai: {
    signature: 'console.x.ai grok.com',
    anyStatus: [
      ['billing_error', '(have|has) any credits|out of credits|used all available credits'],
      ['quota_exhausted', 'free usage quota|included free usage'],
    ],
  },
  // Zhipu (GLM, z.ai): every limit is a 429 with a number for its kind; the messages are often Chinese.
  zhipu: {
    signature: 'bigmodel.cn z.ai/',
    decisive: [
      ['billing_error', '', '1113@(400|429)'],
      // The calls of a day, some hours of a plan, the plan itself, its week and its month.
      ['quota_exhausted', '', '(1304|1308|1309|1310|1316|1317)@429'],
      // Locked, or limited for unfair use until an appeal succeeds.
      ['account_suspended', '', '(1112|1121|1313)@(401|403|429)'],
      ['content_policy', '', '1301@(400|429)'],
      ['context_too_long', '', '1261@400'],
      ['model_not_found', '', '1211@400'],
      ['permission_denied', '', '1311@(403|429)'],
    ],
  },
};
