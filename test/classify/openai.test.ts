import { describeCases, sse } from './cases.ts';

const error = (code: string | null, type: string | null, message = 'No.', param: string | null = null): unknown => ({
  error: { message, type, param, code },
});

describeCases('OpenAI', {
  quota_exhausted: {
    'a spent quota': [
      429,
      error(
        'insufficient_quota',
        'insufficient_quota',
        'You exceeded your current quota, please check your plan and billing details.',
      ),
      {
        headers: { 'openai-version': '2020-10-01', 'x-should-retry': 'true', 'retry-after': '1' },
        afterMs: 1_000,
        code: 'insufficient_quota',
        provider: 'openai',
      },
    ],
    'a spent quota by its wording alone': [
      429,
      error(null, null, 'You exceeded your current quota, please check your plan.'),
    ],
    'an exhausted credit balance': [429, error('credit_balance_exhausted', 'insufficient_quota')],
    'a spend limit of the organization': [429, error('organization_spend_limit_exceeded', null)],
    'a plan without the model': [
      429,
      { error: { type: 'usage_not_included', message: 'To use Codex with your plan, upgrade.' } },
    ],
    'a plan used up': [
      429,
      { error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', resets_in_seconds: 7_200 } },
      { afterMs: 7_200_000 },
    ],
    'a hard billing limit': [400, error('billing_hard_limit_reached', 'image_generation_user_error')],
    'a limit of nothing': [
      429,
      error(
        'rate_limit_exceeded',
        'tokens',
        'Rate limit reached for gpt-6 on tokens per min (TPM): Limit 0, Used 0, Requested 12.',
      ),
    ],
    'a list of errors around it': [429, [error('insufficient_quota', 'insufficient_quota')]],
    // https://github.com/popjane/free_chatgpt_api/issues/78
    'a balance at a relay that is used up': [
      429,
      { error: { message: '…', type: 'new_api_error', param: '', code: 'insufficient_user_quota' } },
    ],
    // https://github.com/microsoft/vscode/issues/311205
    "a week's allowance of Copilot, by its name alone": [
      429,
      { error: { message: '...', code: 'user_weekly_rate_limited' } },
    ],
    // https://github.com/github/gh-aw/issues/39479
    "Copilot's allowance that is used up, in two words": [
      429,
      'quota exceeded\n',
      { headers: { 'content-type': 'text/plain' } },
    ],
    // https://github.com/goferito/node-bing-api/issues/34
    "a volume that Azure's gateway has counted": [
      403,
      { statusCode: 403, message: 'Out of call volume quota. Quota will be replenished in 22.14:18:12.' },
    ],
  },
  model_not_found: {
    'a model whose name has a point': [404, error(null, null, 'The model gpt-4.1-foo does not exist')],
  },
  model_deprecated: {
    'a withdrawn model whose name has a point': [
      400,
      error(null, 'invalid_request_error', 'The model gpt-4.5-preview has been deprecated.'),
    ],
    'a model that is gone': [
      404,
      error(
        'model_not_found_',
        'invalid_request_error',
        'The model `text-davinci-003` has been deprecated, learn more here.',
      ),
    ],
  },
  billing_error: {
    'an account that is not active': [
      429,
      error(
        'billing_not_active',
        'billing_not_active',
        'Your account is not active, please check your billing details on our website.',
      ),
    ],
  },
  rate_limit: {
    'requests per day, which roll': [
      429,
      error(
        'rate_limit_exceeded',
        'requests',
        'Rate limit reached for gpt-4 on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s.',
      ),
      { afterMs: 432_000 },
    ],
    'an error after a role and usage': [
      200,
      sse(
        [
          '',
          {
            object: 'chat.completion.chunk',
            choices: [{ index: 0, delta: { role: 'assistant', content: '', refusal: null }, finish_reason: null }],
          },
        ],
        ['', { object: 'chat.completion.chunk', choices: [], usage: { total_tokens: 1 } }],
        ['', error('rate_limit_exceeded', 'tokens', 'Rate limit reached. Please try again in 2s.')],
        ['', '[DONE]'],
      ),
      { headers: { 'content-type': 'text/event-stream' }, afterMs: 2_000 },
    ],
    'a limit of GitHub that is meant for everybody, behind a 403': [
      403,
      { message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.' },
      { headers: { 'retry-after': '60' }, afterMs: 60_000 },
    ],
  },
  overloaded: {
    'overload at 429': [429, error('server_is_overloaded', 'service_unavailable_error')],
    'overload in the old wording': [
      429,
      error(
        null,
        'server_error',
        'That model is currently overloaded with other requests. You can retry your request.',
      ),
    ],
    'a server error at 503': [503, error(null, 'server_error', 'The server had an error.')],
    // https://github.com/paulgmiller/careme/issues/379
    'a conversation that another request holds': [
      400,
      {
        error: {
          message: 'Another process is currently operating on this conversation. Please retry in a few seconds.',
          type: 'invalid_request_error',
          param: 'conversation',
          code: 'conversation_locked',
        },
      },
    ],
  },
  permission_denied: {
    'a region': [
      403,
      error('unsupported_country_region_territory', 'request_forbidden', 'Country, region, or territory not supported'),
    ],
  },
  unsupported_feature: {
    'a value that is not supported': [
      400,
      error('unsupported_value', 'invalid_request_error', 'Unsupported value: temperature', 'temperature'),
    ],
    'a parameter that is not known': [
      400,
      error('unknown_parameter', 'invalid_request_error', "Unknown parameter: 'foo'."),
    ],
  },
  content_policy: {
    'a flagged prompt': [
      400,
      error(
        'invalid_prompt',
        'invalid_request_error',
        'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
      ),
    ],
    'an image that moderation blocked': [400, error('moderation_blocked', 'image_generation_user_error')],
  },
  account_suspended: { 'a deactivated account': [401, error('account_deactivated', 'invalid_request_error')] },
  invalid_request: {
    'a plain bad request': [
      400,
      error(null, 'invalid_request_error', "Invalid type for 'messages'."),
      { headers: { 'x-should-retry': 'true' } },
    ],
  },
  server_error: {
    'an error after a word': [
      200,
      sse(
        [
          '',
          { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }] },
        ],
        ['', error(null, 'server_error')],
      ),
      { headers: { 'content-type': 'text/event-stream' }, retryable: false },
    ],
    'a failed response that gives no reason': [
      200,
      sse(
        ['response.queued', { type: 'response.queued', response: { status: 'queued' } }],
        ['response.failed', { type: 'response.failed', response: { status: 'failed', error: null } }],
      ),
      { headers: { 'content-type': 'text/event-stream' } },
    ],
    'a response object that failed': [
      200,
      { id: 'resp_1', object: 'response', status: 'failed', error: { code: 'server_error', message: 'It failed.' } },
      { headers: { 'content-type': 'application/json' } },
    ],
  },
  context_too_long: {
    "a prompt beyond Copilot's limit": [
      400,
      {
        error: {
          message: 'prompt token count of 391491 exceeds the limit of 128000',
          code: 'model_max_prompt_tokens_exceeded',
        },
      },
    ],
    // https://github.com/BerriAI/litellm/issues/10793
    'an input that SGLang finds too long': [
      400,
      {
        object: 'error',
        message: "The input (40512 tokens) is longer than the model's context length (32768 tokens).",
        type: 'BadRequestError',
        code: 400,
      },
    ],
  },
});
