import { describeCases } from './cases.ts';

const problem = (status: number, more: object): unknown => ({
  type: `https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/error-${status}/`,
  title: `Error ${status}`,
  status,
  detail: 'The origin did not answer in time.',
  cloudflare_error: true,
  ...more,
});
const page = (text: string): string =>
  `<html>\r\n<head><title>${text}</title></head>\r\n<body>\r\n<center><h1>${text}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
const html = { 'content-type': 'text/html' };

describeCases('Cloudflare', {
  timeout: {
    'a problem that it calls retryable': [
      524,
      problem(524, { error_code: 524, error_name: 'origin_timeout', retryable: true, retry_after: 120 }),
      {
        headers: { 'content-type': 'application/problem+json' },
        afterMs: 120_000,
        code: 'origin_timeout',
        provider: 'cloudflare',
      },
    ],
    '"error code: 524"': [524, 'error code: 524', { headers: { server: 'cloudflare' }, provider: 'cloudflare' }],
    'a page at 522': [522, '<html><title>api.x.ai | 522: Connection timed out</title></html>', { headers: html }],
  },
  provider_unavailable: {
    'a problem that it calls final': [520, problem(520, { retryable: false }), { retryable: false }],
    'a page at 502': [
      502,
      '<!DOCTYPE html><html><head><title>api.openai.com | 502: Bad gateway</title></head><body class="cf-wrapper">Cloudflare</body></html>',
      { headers: { ...html, server: 'cloudflare' }, provider: 'cloudflare' },
    ],
    'a handshake that failed': [525],
    'a certificate that is wrong': [526, '', { retryable: false }],
  },
  permission_denied: {
    'a client that it bars': [
      403,
      problem(403, { error_code: 1010, error_name: 'browser_signature_banned', retryable: false }),
    ],
  },
  rate_limit: {
    'a rate limit of its own': [
      429,
      problem(429, { error_code: 1015, error_name: 'rate_limited', retryable: true, retry_after: 30 }),
      { afterMs: 30_000 },
    ],
  },
});

describeCases('proxies and load balancers', {
  provider_unavailable: {
    'nginx at 503': [503, page('503 Service Temporarily Unavailable'), { headers: html, provider: 'nginx' }],
    'Envoy without a host': [503, 'no healthy upstream', { provider: 'envoy' }],
  },
  timeout: {
    'nginx at 504': [504, page('504 Gateway Time-out'), { headers: html }],
    'Envoy that waited too long': [504, 'upstream request timeout'],
  },
  context_too_long: { 'nginx at 413': [413, page('413 Request Entity Too Large'), { headers: html }] },
  rate_limit: {
    'nginx at 429': [429, page('429 Too Many Requests'), { headers: html }],
    'a JSON string': [429, '"Too many requests"'],
  },
  overloaded: {
    'a wait in plain text': [503, 'Busy. Please retry after 5 seconds.', { afterMs: 5_000 }],
    'JSON with the type of a page': [
      529,
      { error: { type: 'overloaded_error', message: 'Overloaded' } },
      { headers: html },
    ],
  },
  quota_exhausted: { 'JSON after a byte order mark': [429, '\uFEFF{"error":{"code":"insufficient_quota"}}'] },
});

describeCases('OpenCode and Vercel', {
  quota_exhausted: {
    'five hours used up': [
      429,
      {
        type: 'error',
        error: { type: 'GoUsageLimitError', message: '5-hour usage limit reached. Resets in 3 hours.' },
      },
      { headers: { 'retry-after': '11400' }, afterMs: 11_400_000 },
    ],
    'an error wrapped by LiteLLM': [
      429,
      {
        error: {
          message:
            'litellm.RateLimitError: OpenAIException - {"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
          type: null,
          code: '429',
        },
      },
    ],
  },
  billing_error: {
    'no credits, behind a 401': [
      401,
      { type: 'error', error: { type: 'CreditsError', message: 'No payment method.' } },
    ],
  },
});

describeCases('LiteLLM', {
  quota_exhausted: {
    // https://github.com/BerriAI/litellm/issues/14144
    'a budget of all deployments that is used up': [
      429,
      {
        error: {
          message:
            'No deployments available - crossed budget: Exceeded budget for deployment model_name: x, model_id: x: 0.363 >= 1d',
          type: 'None',
          param: 'None',
          code: '429',
        },
      },
    ],
    // https://github.com/BerriAI/litellm/issues/4208
    'the budget of a key': [
      400,
      {
        error: {
          message: 'Budget has been exceeded! Current cost: 21.1, Max budget: 20.0',
          type: 'auth_error',
          code: '400',
        },
      },
    ],
  },
  rate_limit: {
    'a limit whose end stands in a sentence, as a moment': [
      429,
      {
        error: {
          message:
            'Rate limit exceeded for api_key: 18c1. Limit type: tokens. Current limit: 200, Remaining: 200. Limit resets at: 2026-11-20 00:00:39 UTC',
          type: 'None',
          param: 'None',
          code: '429',
        },
      },
      { afterMs: 39_000, code: '429' },
    ],
  },
});

describeCases('other gateways and hosts', {
  rate_limit: {
    // https://github.com/router-for-me/CLIProxyAPI/issues/4724
    'credentials of CLIProxyAPI that all rest, and for how long': [
      429,
      {
        error: {
          code: 'model_cooldown',
          message: 'All credentials for model gpt-5.6-sol are cooling down',
          reset_seconds: 1_768,
          reset_time: '29m28s',
        },
      },
      { afterMs: 1_768_000 },
    ],
    // https://github.com/GordeyZuev/LEAP/issues/6
    'what Fireworks allows at once': [
      429,
      {
        error: 'Too Many Requests',
        message:
          'You have exceeded your usage limits. Please try again later or contact Fireworks to explore dedicated capacity.',
      },
    ],
  },
  account_suspended: {
    // https://github.com/ghoshRitesh12/aniwatch-api/issues/51
    'a service that its owner has switched off at Render': [
      503,
      'This service has been suspended by its owner.\n',
      { headers: { 'content-type': 'text/plain' } },
    ],
    'the page of such a service': [
      503,
      '<!DOCTYPE html><html><head><title>Service Suspended</title></head><body>…</body></html>',
      { headers: html },
    ],
  },
  quota_exhausted: {
    // https://github.com/diegosouzapw/OmniRoute/issues/1772
    'a subscription that is used up': [
      429,
      { error: { message: '[429]: Subscription quota exceeded. You can continue using free models.' } },
    ],
    // https://github.com/diegosouzapw/OmniRoute/issues/2119
    'the hours of a plan': [429, { error: { message: 'Coding Plan hour quota has been exceeded' } }],
    "a month's budget": [429, { error: { message: 'monthly budget exhausted', type: 'rate_limit_error' } }],
  },
  context_too_long: {
    // https://github.com/netease-youdao/LobsterAI/issues/1023
    'an input that iFlytek finds too long, behind a 500': [
      500,
      {
        type: 'error',
        error: {
          type: 'api_error',
          message:
            'Xunfei claude request failed code: 10012, msg: EngineInternalError:error, status code: 400, message: input token limit is 97280',
        },
      },
    ],
  },
});
