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

describeCases('Cloudflare', [
  {
    says: 'a problem that it calls retryable',
    status: 524,
    headers: { 'content-type': 'application/problem+json' },
    body: problem(524, { error_code: 524, error_name: 'origin_timeout', retryable: true, retry_after: 120 }),
    is: 'timeout',
    retryable: true,
    afterMs: 120_000,
    provider: 'cloudflare',
    code: 'origin_timeout',
  },
  {
    says: 'a problem that it calls final',
    status: 520,
    body: problem(520, { retryable: false }),
    is: 'provider_unavailable',
    retryable: false,
  },
  {
    says: 'a client that it bars',
    status: 403,
    body: problem(403, { error_code: 1010, error_name: 'browser_signature_banned', retryable: false }),
    is: 'permission_denied',
    retryable: false,
  },
  {
    says: 'a rate limit of its own',
    status: 429,
    body: problem(429, { error_code: 1015, error_name: 'rate_limited', retryable: true, retry_after: 30 }),
    is: 'rate_limit',
    retryable: true,
    afterMs: 30_000,
  },
  {
    says: '"error code: 524"',
    status: 524,
    body: 'error code: 524',
    headers: { server: 'cloudflare' },
    is: 'timeout',
    retryable: true,
    provider: 'cloudflare',
  },
  {
    says: 'a page at 502',
    status: 502,
    headers: { ...html, server: 'cloudflare' },
    body: '<!DOCTYPE html><html><head><title>api.openai.com | 502: Bad gateway</title></head><body class="cf-wrapper">Cloudflare</body></html>',
    is: 'provider_unavailable',
    retryable: true,
    provider: 'cloudflare',
  },
  {
    says: 'a page at 522',
    status: 522,
    headers: html,
    body: '<html><title>api.x.ai | 522: Connection timed out</title></html>',
    is: 'timeout',
    retryable: true,
  },
  { says: 'a handshake that failed', status: 525, is: 'provider_unavailable', retryable: true },
  { says: 'a certificate that is wrong', status: 526, is: 'provider_unavailable', retryable: false },
]);

describeCases('proxies and load balancers', [
  {
    says: 'nginx at 503',
    status: 503,
    headers: html,
    body: page('503 Service Temporarily Unavailable'),
    is: 'provider_unavailable',
    retryable: true,
    provider: 'nginx',
  },
  {
    says: 'nginx at 504',
    status: 504,
    headers: html,
    body: page('504 Gateway Time-out'),
    is: 'timeout',
    retryable: true,
  },
  {
    says: 'nginx at 413',
    status: 413,
    headers: html,
    body: page('413 Request Entity Too Large'),
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'nginx at 429',
    status: 429,
    headers: html,
    body: page('429 Too Many Requests'),
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'Envoy without a host',
    status: 503,
    body: 'no healthy upstream',
    is: 'provider_unavailable',
    retryable: true,
    provider: 'envoy',
  },
  { says: 'Envoy that waited too long', status: 504, body: 'upstream request timeout', is: 'timeout', retryable: true },
  {
    says: 'a wait in plain text',
    status: 503,
    body: 'Busy. Please retry after 5 seconds.',
    is: 'overloaded',
    retryable: true,
    afterMs: 5_000,
  },
  { says: 'a JSON string', status: 429, body: '"Too many requests"', is: 'rate_limit', retryable: true },
  {
    says: 'JSON after a byte order mark',
    status: 429,
    body: '\uFEFF{"error":{"code":"insufficient_quota"}}',
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'JSON with the type of a page',
    status: 529,
    headers: html,
    body: { error: { type: 'overloaded_error', message: 'Overloaded' } },
    is: 'overloaded',
    retryable: true,
  },
]);

describeCases('OpenCode and Vercel', [
  {
    says: 'five hours used up',
    status: 429,
    headers: { 'retry-after': '11400' },
    body: {
      type: 'error',
      error: { type: 'GoUsageLimitError', message: '5-hour usage limit reached. Resets in 3 hours.' },
    },
    is: 'quota_exhausted',
    retryable: false,
    afterMs: 11_400_000,
  },
  {
    says: 'no credits, behind a 401',
    status: 401,
    body: { type: 'error', error: { type: 'CreditsError', message: 'No payment method.' } },
    is: 'billing_error',
    retryable: false,
  },
  {
    says: 'an error wrapped by LiteLLM',
    status: 429,
    body: {
      error: {
        message:
          'litellm.RateLimitError: OpenAIException - {"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
        type: null,
        code: '429',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
]);

describeCases('LiteLLM', [
  {
    // https://github.com/BerriAI/litellm/issues/14144
    says: 'a budget of all deployments that is used up',
    status: 429,
    body: {
      error: {
        message:
          'No deployments available - crossed budget: Exceeded budget for deployment model_name: x, model_id: x: 0.363 >= 1d',
        type: 'None',
        param: 'None',
        code: '429',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    // https://github.com/BerriAI/litellm/issues/4208
    says: 'the budget of a key',
    status: 400,
    body: {
      error: {
        message: 'Budget has been exceeded! Current cost: 21.1, Max budget: 20.0',
        type: 'auth_error',
        code: '400',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a limit whose end stands in a sentence, as a moment',
    status: 429,
    body: {
      error: {
        message:
          'Rate limit exceeded for api_key: 18c1. Limit type: tokens. Current limit: 200, Remaining: 200. Limit resets at: 2026-11-20 00:00:39 UTC',
        type: 'None',
        param: 'None',
        code: '429',
      },
    },
    is: 'rate_limit',
    retryable: true,
    afterMs: 39_000,
    code: '429',
  },
]);

describeCases('other gateways and hosts', [
  {
    // https://github.com/router-for-me/CLIProxyAPI/issues/4724
    says: 'credentials of CLIProxyAPI that all rest, and for how long',
    status: 429,
    body: {
      error: {
        code: 'model_cooldown',
        message: 'All credentials for model gpt-5.6-sol are cooling down',
        reset_seconds: 1_768,
        reset_time: '29m28s',
      },
    },
    is: 'rate_limit',
    retryable: true,
    afterMs: 1_768_000,
  },
  {
    // https://github.com/GordeyZuev/LEAP/issues/6
    says: 'what Fireworks allows at once',
    status: 429,
    body: {
      error: 'Too Many Requests',
      message:
        'You have exceeded your usage limits. Please try again later or contact Fireworks to explore dedicated capacity.',
    },
    is: 'rate_limit',
    retryable: true,
  },

  {
    // https://github.com/ghoshRitesh12/aniwatch-api/issues/51
    says: 'a service that its owner has switched off at Render',
    status: 503,
    headers: { 'content-type': 'text/plain' },
    body: 'This service has been suspended by its owner.\n',
    is: 'account_suspended',
    retryable: false,
  },
  {
    says: 'the page of such a service',
    status: 503,
    headers: html,
    body: '<!DOCTYPE html><html><head><title>Service Suspended</title></head><body>…</body></html>',
    is: 'account_suspended',
    retryable: false,
  },

  {
    // https://github.com/diegosouzapw/OmniRoute/issues/1772
    says: 'a subscription that is used up',
    status: 429,
    body: { error: { message: '[429]: Subscription quota exceeded. You can continue using free models.' } },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    // https://github.com/diegosouzapw/OmniRoute/issues/2119
    says: 'the hours of a plan',
    status: 429,
    body: { error: { message: 'Coding Plan hour quota has been exceeded' } },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: "a month's budget",
    status: 429,
    body: { error: { message: 'monthly budget exhausted', type: 'rate_limit_error' } },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    // https://github.com/netease-youdao/LobsterAI/issues/1023
    says: 'an input that iFlytek finds too long, behind a 500',
    status: 500,
    body: {
      type: 'error',
      error: {
        type: 'api_error',
        message:
          'Xunfei claude request failed code: 10012, msg: EngineInternalError:error, status code: 400, message: input token limit is 97280',
      },
    },
    is: 'context_too_long',
    retryable: false,
  },
]);
