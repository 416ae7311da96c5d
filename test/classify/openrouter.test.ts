import { describeCases, sse } from './cases.ts';

const error = (code: number, message: string, metadata?: object): unknown => ({
  error: { code, message, metadata },
  user_id: 'user_1',
});
const available = (http_status: number, error_type: string, availability: object): unknown => ({
  error: { message: 'Not now.', error_type, http_status, availability },
});

describeCases('OpenRouter', [
  {
    says: 'an in-flight budget: the 402 that waiting clears',
    status: 402,
    headers: { 'retry-after': '7' },
    body: error(
      402,
      'This request would exceed your available credits given your current in-flight requests. Retry after in-flight requests settle, or add credits.',
      { reason: 'in_flight_budget_exhausted', limit_source: 'openrouter_in_flight_budget' },
    ),
    is: 'rate_limit',
    retryable: true,
    afterMs: 7_000,
    provider: 'openrouter',
  },
  {
    says: 'an in-flight budget by its source alone',
    status: 402,
    body: error(402, 'Budget in use', { limit_source: 'openrouter_in_flight_budget' }),
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'a request dearer than the budget',
    status: 402,
    body: error(402, 'Too dear', { reason: 'weight_exceeds_budget', limit_source: 'openrouter_credits' }),
    is: 'billing_error',
    retryable: false,
  },
  {
    says: 'no credits',
    status: 402,
    body: error(402, 'Insufficient credits. Add more using https://openrouter.ai/settings/credits', {
      limit_source: 'openrouter_credits',
    }),
    is: 'billing_error',
    retryable: false,
    code: 'openrouter_credits',
  },
  {
    says: 'no credits in the old form',
    status: 402,
    body: error(
      402,
      'This request requires more credits, or fewer max_tokens. You requested up to 8192 tokens, but can only afford 12.',
    ),
    is: 'billing_error',
    retryable: false,
  },
  {
    says: 'the limit of a key',
    status: 402,
    body: error(402, 'Key limit exceeded', { limit_source: 'openrouter_key_limit' }),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a budget of the workspace',
    status: 403,
    body: error(403, 'Budget limit exceeded', {
      limit_source: 'openrouter_workspace_budget',
      resets_at: '2026-11-21T00:00:00Z',
    }),
    is: 'quota_exhausted',
    retryable: false,
    afterMs: 86_400_000,
  },
  {
    says: 'a limit of its own',
    status: 429,
    headers: {
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': `${Date.UTC(2026, 10, 20, 0, 0, 30)}`,
    },
    body: error(429, 'Rate limit exceeded: free-models-per-min.'),
    is: 'rate_limit',
    retryable: true,
    afterMs: 30_000,
  },
  {
    says: 'its free models of a day',
    status: 429,
    body: error(
      429,
      'Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day',
    ),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'capacity, with a wait',
    status: 429,
    body: available(429, 'rate_limit_exceeded', { code: 'capacity_exhausted', retryable: true, retry_after: 12 }),
    is: 'overloaded',
    retryable: true,
    afterMs: 12_000,
    code: 'capacity_exhausted',
  },
  {
    says: 'a provider that is away for a while',
    status: 503,
    headers: { 'retry-after': '3' },
    body: available(503, 'provider_overloaded', { code: 'temporarily_unavailable', retryable: true, retry_after: 9 }),
    is: 'provider_unavailable',
    retryable: true,
    afterMs: 3_000,
  },
  {
    says: 'no endpoints',
    status: 404,
    body: available(404, 'not_found', { code: 'no_endpoints', retryable: false }),
    is: 'model_not_found',
    retryable: false,
  },
  {
    says: 'a free variant that has ended',
    status: 404,
    body: available(404, 'not_found', { code: 'free_variant_ended', retryable: false }),
    is: 'model_deprecated',
    retryable: false,
  },
  {
    says: 'an unknown reason that it calls retryable',
    status: 404,
    body: available(404, 'not_found', { code: 'shifting_endpoints', retryable: true }),
    is: 'model_not_found',
    retryable: true,
  },
  {
    says: 'an unknown reason at 503 that it calls final',
    status: 503,
    body: available(503, 'provider_overloaded', { code: 'gone_for_good', retryable: false }),
    is: 'overloaded',
    retryable: false,
  },
  {
    says: 'moderation',
    status: 403,
    body: error(403, 'Your input was flagged', { reasons: ['violence'], flagged_input: '…', provider_name: 'OpenAI' }),
    is: 'content_policy',
    retryable: false,
  },
  {
    says: 'a provider that is down',
    status: 502,
    body: error(502, 'Upstream error', { error_type: 'provider_unavailable' }),
    is: 'provider_unavailable',
    retryable: true,
  },
  {
    says: 'a provider that is overloaded',
    status: 503,
    body: error(503, 'Busy', { error_type: 'provider_overloaded' }),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'a timeout',
    status: 504,
    body: error(504, 'Slow', { error_type: 'timeout' }),
    is: 'timeout',
    retryable: true,
  },
  { says: 'a timeout at 408', status: 408, body: error(408, 'Your request timed out'), is: 'timeout', retryable: true },
  {
    says: 'an upstream’s limit per minute as JSON in raw',
    status: 429,
    body: error(429, 'Provider returned error', {
      provider_name: 'Google AI Studio',
      raw: JSON.stringify({
        error: {
          code: 429,
          message: 'You exceeded your current quota, please check your plan and billing details. Please retry in 20s.',
          status: 'RESOURCE_EXHAUSTED',
        },
      }),
    }),
    is: 'rate_limit',
    retryable: true,
    afterMs: 20_000,
    provider: 'openrouter',
  },
  {
    says: 'an upstream’s context as JSON in raw',
    status: 400,
    body: error(400, 'Provider returned error', {
      provider_name: 'OpenAI',
      raw: '{"error":{"message":"Too long","code":"context_length_exceeded"}}',
    }),
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'a failure after the start, without choices',
    status: 200,
    body: error(524, 'A timeout occurred'),
    is: 'timeout',
    retryable: true,
  },
  {
    says: 'a failure in a choice',
    status: 200,
    body: {
      choices: [
        {
          message: { role: 'assistant', content: '' },
          finish_reason: 'error',
          error: { code: 502, message: 'Provider disconnected', metadata: { error_type: 'provider_unavailable' } },
        },
      ],
    },
    is: 'provider_unavailable',
    retryable: true,
  },
  {
    says: 'an authentication failure behind server_error',
    status: 200,
    body: {
      id: 'resp_1',
      status: 'failed',
      error: { code: 'server_error', message: 'Nope' },
      error_type: 'authentication',
    },
    is: 'auth_invalid',
    retryable: false,
    code: 'authentication',
  },
  {
    says: 'a failure in a chunk, after comments',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: `: OPENROUTER PROCESSING\n\n${sse(['', { id: 'gen-1', object: 'chat.completion.chunk', provider: 'OpenAI', error: { code: 429, message: 'Rate limit exceeded', metadata: { error_type: 'rate_limit_exceeded' } }, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] }])}`,
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'overload in Anthropic’s envelope',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: sse([
      'error',
      {
        type: 'error',
        error: {
          type: 'overloaded_error',
          message: 'Provider is temporarily overloaded',
          error_type: 'provider_overloaded',
        },
      },
    ]),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'a guardrail in Anthropic’s envelope',
    status: 403,
    body: {
      type: 'error',
      error: { type: 'permission_error', message: 'Request blocked: prompt injection patterns detected' },
    },
    is: 'content_policy',
    retryable: false,
  },
  {
    says: 'a response.error event',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: sse([
      'response.error',
      { type: 'response.error', error: { code: 'rate_limit_exceeded', message: 'Rate limit exceeded' } },
    ]),
    is: 'rate_limit',
    retryable: true,
  },

  {
    says: "a day's requests to a model whose name begins like a minute",
    status: 429,
    body: {
      error: {
        message:
          'Rate limit exceeded: limit_rpd/minimax/minimax-m3-20260601/89249263. Daily limit reached for minimax/minimax-m3:free via Minimax.',
        code: 429,
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: "a day's requests, by the name of the limit alone, inside of a 200",
    status: 200,
    body: { error: { message: 'Rate limit exceeded: limit_rpd/google/gemini-2.0-flash-thinking-exp/5427', code: 429 } },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: "a minute's requests",
    status: 429,
    body: { error: { message: 'Rate limit exceeded: limit_rpm/google/gemini-2.0-flash-thinking-exp/5427', code: 429 } },
    is: 'rate_limit',
    retryable: true,
  },
  {
    // https://github.com/Avarok-Cybersecurity/atlas/issues/543
    says: "a day's free requests, by the source of the limit",
    status: 429,
    body: {
      error: { message: 'Rate limit exceeded', code: 429, metadata: { limit_source: 'openrouter_free_tier_daily' } },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: "a minute's free requests, by the source of the limit",
    status: 429,
    body: {
      error: {
        message: 'Rate limit exceeded',
        code: 429,
        metadata: { limit_source: 'openrouter_free_tier_per_minute' },
      },
    },
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: "a day's requests, wrapped into a gateway's 500",
    status: 500,
    body: {
      error:
        'failed to invoke model from Openrouter: request failed with status 429: {"error":{"message":"Rate limit exceeded: limit_rpd/x/y. Daily limit reached for x/y.","code":429}}',
    },
    is: 'quota_exhausted',
    retryable: false,
  },

  {
    // https://github.com/astrio-labs/forall/issues/76
    says: 'credits that are too few, in the words of LiteLLM',
    status: 500,
    body: {
      error: {
        message:
          'litellm.APIError: APIError: OpenrouterException - {"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 2666","code":402}}',
        code: '500',
      },
    },
    is: 'billing_error',
    retryable: false,
  },
]);
