import { describeCases, sse } from './cases.ts';

const error = (code: number, message: string, metadata?: object): unknown => ({
  error: { code, message, metadata },
  user_id: 'user_1',
});
const available = (http_status: number, error_type: string, availability: object): unknown => ({
  error: { message: 'Not now.', error_type, http_status, availability },
});

describeCases('OpenRouter', {
  rate_limit: {
    'an in-flight budget: the 402 that waiting clears': [
      402,
      error(
        402,
        'This request would exceed your available credits given your current in-flight requests. Retry after in-flight requests settle, or add credits.',
        { reason: 'in_flight_budget_exhausted', limit_source: 'openrouter_in_flight_budget' },
      ),
      { headers: { 'retry-after': '7' }, afterMs: 7_000, provider: 'openrouter' },
    ],
    'an in-flight budget by its source alone': [
      402,
      error(402, 'Budget in use', { limit_source: 'openrouter_in_flight_budget' }),
    ],
    'a limit of its own': [
      429,
      error(429, 'Rate limit exceeded: free-models-per-min.'),
      {
        headers: {
          'x-ratelimit-limit': '20',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': `${Date.UTC(2026, 10, 20, 0, 0, 30)}`,
        },
        afterMs: 30_000,
      },
    ],
    'an upstream’s limit per minute as JSON in raw': [
      429,
      error(429, 'Provider returned error', {
        provider_name: 'Google AI Studio',
        raw: JSON.stringify({
          error: {
            code: 429,
            message:
              'You exceeded your current quota, please check your plan and billing details. Please retry in 20s.',
            status: 'RESOURCE_EXHAUSTED',
          },
        }),
      }),
      { afterMs: 20_000, provider: 'openrouter' },
    ],
    'a failure in a chunk, after comments': [
      200,
      `: OPENROUTER PROCESSING\n\n${sse(['', { id: 'gen-1', object: 'chat.completion.chunk', provider: 'OpenAI', error: { code: 429, message: 'Rate limit exceeded', metadata: { error_type: 'rate_limit_exceeded' } }, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] }])}`,
      { headers: { 'content-type': 'text/event-stream' } },
    ],
    'a response.error event': [
      200,
      sse([
        'response.error',
        { type: 'response.error', error: { code: 'rate_limit_exceeded', message: 'Rate limit exceeded' } },
      ]),
      { headers: { 'content-type': 'text/event-stream' } },
    ],
    "a minute's requests": [
      429,
      { error: { message: 'Rate limit exceeded: limit_rpm/google/gemini-2.0-flash-thinking-exp/5427', code: 429 } },
    ],
    "a minute's free requests, by the source of the limit": [
      429,
      {
        error: {
          message: 'Rate limit exceeded',
          code: 429,
          metadata: { limit_source: 'openrouter_free_tier_per_minute' },
        },
      },
    ],
  },
  billing_error: {
    'a request dearer than the budget': [
      402,
      error(402, 'Too dear', { reason: 'weight_exceeds_budget', limit_source: 'openrouter_credits' }),
    ],
    'no credits': [
      402,
      error(402, 'Insufficient credits. Add more using https://openrouter.ai/settings/credits', {
        limit_source: 'openrouter_credits',
      }),
      { code: 'openrouter_credits' },
    ],
    'no credits in the old form': [
      402,
      error(
        402,
        'This request requires more credits, or fewer max_tokens. You requested up to 8192 tokens, but can only afford 12.',
      ),
    ],
    // https://github.com/astrio-labs/forall/issues/76
    'credits that are too few, in the words of LiteLLM': [
      500,
      {
        error: {
          message:
            'litellm.APIError: APIError: OpenrouterException - {"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 2666","code":402}}',
          code: '500',
        },
      },
    ],
  },
  quota_exhausted: {
    'the limit of a key': [402, error(402, 'Key limit exceeded', { limit_source: 'openrouter_key_limit' })],
    'a budget of the workspace': [
      403,
      error(403, 'Budget limit exceeded', {
        limit_source: 'openrouter_workspace_budget',
        resets_at: '2026-11-21T00:00:00Z',
      }),
      { afterMs: 86_400_000 },
    ],
    'its free models of a day': [
      429,
      error(429, 'Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day'),
    ],
    "a day's requests to a model whose name begins like a minute": [
      429,
      {
        error: {
          message:
            'Rate limit exceeded: limit_rpd/minimax/minimax-m3-20260601/89249263. Daily limit reached for minimax/minimax-m3:free via Minimax.',
          code: 429,
        },
      },
    ],
    "a day's requests, by the name of the limit alone, inside of a 200": [
      200,
      { error: { message: 'Rate limit exceeded: limit_rpd/google/gemini-2.0-flash-thinking-exp/5427', code: 429 } },
    ],
    // https://github.com/Avarok-Cybersecurity/atlas/issues/543
    "a day's free requests, by the source of the limit": [
      429,
      {
        error: { message: 'Rate limit exceeded', code: 429, metadata: { limit_source: 'openrouter_free_tier_daily' } },
      },
    ],
    "a day's requests, wrapped into a gateway's 500": [
      500,
      {
        error:
          'failed to invoke model from Openrouter: request failed with status 429: {"error":{"message":"Rate limit exceeded: limit_rpd/x/y. Daily limit reached for x/y.","code":429}}',
      },
    ],
  },
  overloaded: {
    'capacity, with a wait': [
      429,
      available(429, 'rate_limit_exceeded', { code: 'capacity_exhausted', retryable: true, retry_after: 12 }),
      { afterMs: 12_000, code: 'capacity_exhausted' },
    ],
    'an unknown reason at 503 that it calls final': [
      503,
      available(503, 'provider_overloaded', { code: 'gone_for_good', retryable: false }),
      { retryable: false },
    ],
    'a provider that is overloaded': [503, error(503, 'Busy', { error_type: 'provider_overloaded' })],
    'overload in Anthropic’s envelope': [
      200,
      sse([
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
      { headers: { 'content-type': 'text/event-stream' } },
    ],
  },
  provider_unavailable: {
    'a provider that is away for a while': [
      503,
      available(503, 'provider_overloaded', { code: 'temporarily_unavailable', retryable: true, retry_after: 9 }),
      { headers: { 'retry-after': '3' }, afterMs: 3_000 },
    ],
    'a provider that is down': [502, error(502, 'Upstream error', { error_type: 'provider_unavailable' })],
    'a failure in a choice': [
      200,
      {
        choices: [
          {
            message: { role: 'assistant', content: '' },
            finish_reason: 'error',
            error: { code: 502, message: 'Provider disconnected', metadata: { error_type: 'provider_unavailable' } },
          },
        ],
      },
    ],
  },
  model_not_found: {
    'no endpoints': [404, available(404, 'not_found', { code: 'no_endpoints', retryable: false })],
    'an unknown reason that it calls retryable': [
      404,
      available(404, 'not_found', { code: 'shifting_endpoints', retryable: true }),
      { retryable: true },
    ],
  },
  model_deprecated: {
    'a free variant that has ended': [
      404,
      available(404, 'not_found', { code: 'free_variant_ended', retryable: false }),
    ],
  },
  content_policy: {
    moderation: [
      403,
      error(403, 'Your input was flagged', { reasons: ['violence'], flagged_input: '…', provider_name: 'OpenAI' }),
    ],
    'a guardrail in Anthropic’s envelope': [
      403,
      {
        type: 'error',
        error: { type: 'permission_error', message: 'Request blocked: prompt injection patterns detected' },
      },
    ],
  },
  timeout: {
    'a timeout': [504, error(504, 'Slow', { error_type: 'timeout' })],
    'a timeout at 408': [408, error(408, 'Your request timed out')],
    'a failure after the start, without choices': [200, error(524, 'A timeout occurred')],
  },
  context_too_long: {
    'an upstream’s context as JSON in raw': [
      400,
      error(400, 'Provider returned error', {
        provider_name: 'OpenAI',
        raw: '{"error":{"message":"Too long","code":"context_length_exceeded"}}',
      }),
    ],
  },
  auth_invalid: {
    'an authentication failure behind server_error': [
      200,
      {
        id: 'resp_1',
        status: 'failed',
        error: { code: 'server_error', message: 'Nope' },
        error_type: 'authentication',
      },
      { code: 'authentication' },
    ],
  },
});
