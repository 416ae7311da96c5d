import { expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { describeCases, sse } from './cases.ts';

const BOILERPLATE = 'You exceeded your current quota, please check your plan and billing details.';
const type = (name: string): string => `type.googleapis.com/google.rpc.${name}`;
const error = (code: number, status: string, message: string, details: readonly object[] = []): unknown => ({
  error: { code, message, status, details },
});
const quota = (quotaId: string, quotaValue = '20'): object => ({
  '@type': type('QuotaFailure'),
  violations: [{ quotaId, quotaValue }],
});
const wait = (retryDelay: string): object => ({ '@type': type('RetryInfo'), retryDelay });
const info = (reason: string, metadata: object = {}): object => ({
  '@type': type('ErrorInfo'),
  reason,
  domain: 'cloudcode-pa.googleapis.com',
  metadata,
});

describeCases('Google', [
  {
    says: 'a daily limit of the older APIs',
    status: 403,
    body: {
      error: {
        code: 403,
        message: 'Daily Limit Exceeded',
        errors: [{ domain: 'usageLimits', reason: 'dailyLimitExceeded' }],
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a limit per minute in the words of a quota',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', BOILERPLATE, [
      quota('GenerateContentInputTokensPerModelPerMinute-FreeTier'),
      wait('45.837906927s'),
    ]),
    is: 'rate_limit',
    retryable: true,
    afterMs: 45_837.906927,
    provider: 'google',
    code: 'RESOURCE_EXHAUSTED',
  },
  {
    says: 'a limit per minute whose wait is in the message',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', `${BOILERPLATE} Please retry in 900.2ms.`),
    is: 'rate_limit',
    retryable: true,
    afterMs: 900.2,
  },
  {
    says: 'a limit per day with a short wait',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', BOILERPLATE, [
      quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
      wait('36s'),
    ]),
    is: 'quota_exhausted',
    retryable: false,
    afterMs: 36_000,
  },
  {
    says: 'a limit per day beside one per minute',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', BOILERPLATE, [
      { '@type': type('QuotaFailure'), violations: [{ quotaId: 'RequestsPerMinute' }, { quotaId: 'RequestsPerDay' }] },
    ]),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a limit of zero in the message',
    status: 429,
    body: error(
      429,
      'RESOURCE_EXHAUSTED',
      `${BOILERPLATE}\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0, model: gemini-3-pro\nPlease retry in 40s.`,
    ),
    is: 'quota_exhausted',
    retryable: false,
    afterMs: 40_000,
  },
  {
    says: 'a limit of zero at 503',
    status: 503,
    body: error(503, 'UNAVAILABLE', 'Quota exceeded, limit: 0'),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a limit of 20, which is not zero',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', `${BOILERPLATE} limit: 20`),
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'shared capacity, in a list',
    status: 429,
    body: [
      error(
        429,
        'RESOURCE_EXHAUSTED',
        'Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.',
      ),
    ],
    is: 'rate_limit',
    retryable: true,
  },
  {
    says: 'no capacity for the model',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', 'No capacity available for model gemini-3-pro on the server', [
      info('MODEL_CAPACITY_EXHAUSTED'),
      wait('9s'),
    ]),
    is: 'overloaded',
    retryable: true,
    afterMs: 9_000,
    code: 'MODEL_CAPACITY_EXHAUSTED',
  },
  {
    says: 'no capacity at 503',
    status: 503,
    body: error(503, 'UNAVAILABLE', 'No capacity', [info('MODEL_CAPACITY_EXHAUSTED')]),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'a Cloud Code quota',
    status: 429,
    body: error(
      429,
      'RESOURCE_EXHAUSTED',
      'You have exhausted your capacity on this model. Your quota will reset after 12h34m16s.',
      [info('QUOTA_EXHAUSTED'), wait('45256s')],
    ),
    is: 'quota_exhausted',
    retryable: false,
    afterMs: 45_256_000,
  },
  {
    says: 'Cloud Code without credits',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', 'No credits', [info('INSUFFICIENT_G1_CREDITS_BALANCE')]),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a Cloud Code rate of five minutes',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', 'Your quota will reset after 5m0s.', [
      info('RATE_LIMIT_EXCEEDED'),
      wait('300s'),
    ]),
    is: 'rate_limit',
    retryable: true,
    afterMs: 300_000,
  },
  {
    says: 'a Cloud Code rate of an hour',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', 'Your quota will reset after 1h.', [
      info('RATE_LIMIT_EXCEEDED'),
      wait('3600s'),
    ]),
    is: 'quota_exhausted',
    retryable: false,
    afterMs: 3_600_000,
  },
  {
    says: 'a Cloud quota per day by its metadata',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded', [
      info('RATE_LIMIT_EXCEEDED', {
        quota_limit: 'GenerateContentRequestsPerDayPerProject',
        quota_limit_value: '1500',
      }),
    ]),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'a Cloud quota of zero by its metadata',
    status: 429,
    body: error(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded', [
      info('RATE_LIMIT_EXCEEDED', { quota_limit: 'PerMinute', quota_limit_value: '0' }),
    ]),
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: 'overload',
    status: 503,
    body: error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'an internal error',
    status: 500,
    body: error(500, 'INTERNAL', 'An internal error has occurred.'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a deadline',
    status: 504,
    body: error(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'),
    is: 'timeout',
    retryable: true,
  },
  {
    says: 'a cancellation of its own',
    status: 499,
    body: error(499, 'CANCELLED', 'The operation was cancelled.'),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'an account in breach of the terms',
    status: 403,
    body: error(
      403,
      'PERMISSION_DENIED',
      'This service has been disabled in this account for violation of Terms of Service.',
    ),
    is: 'account_suspended',
    retryable: false,
  },
  {
    says: 'a wrong key, behind a 400',
    status: 400,
    body: error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [info('API_KEY_INVALID')]),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'a wrong key by its wording',
    status: 400,
    body: error(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.'),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'no credentials',
    status: 401,
    body: error(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
    is: 'auth_invalid',
    retryable: false,
  },
  {
    says: 'billing that is switched off',
    status: 403,
    body: error(403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled.', [
      info('BILLING_DISABLED'),
    ]),
    is: 'billing_error',
    retryable: false,
  },
  {
    says: 'a service that is switched off',
    status: 403,
    body: error(
      403,
      'PERMISSION_DENIED',
      'Generative Language API has not been used in project 1 before or it is disabled.',
      [info('SERVICE_DISABLED')],
    ),
    is: 'permission_denied',
    retryable: false,
  },
  {
    says: 'a location',
    status: 400,
    body: error(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    is: 'permission_denied',
    retryable: false,
  },
  {
    says: 'too many input tokens',
    status: 400,
    body: error(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
    is: 'context_too_long',
    retryable: false,
  },
  {
    says: 'a malformed request',
    status: 400,
    body: error(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.'),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'a method that does not exist',
    status: 501,
    body: error(501, 'UNIMPLEMENTED', 'Operation is not implemented.'),
    is: 'unsupported_feature',
    retryable: false,
  },
  {
    says: 'an error that names only its status, in a stream',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: sse(['', { error: { status: 'UNAVAILABLE', message: 'Unavailable' } }]),
    is: 'overloaded',
    retryable: true,
  },
  {
    says: 'a permanent error in a stream',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: sse(['', { usageMetadata: {}, modelVersion: 'gemini-3' }], ['', error(400, 'INVALID_ARGUMENT', 'Bad.')]),
    is: 'invalid_request',
    retryable: false,
  },
  {
    says: 'bare JSON after the events, even after STOP',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: `${sse(['', { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }])}${JSON.stringify(error(503, 'UNAVAILABLE', 'The model is overloaded.'), null, 2)}`,
    is: 'overloaded',
    retryable: false,
  },
  {
    says: 'bare JSON before any event',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: JSON.stringify(error(503, 'UNAVAILABLE', 'The model is overloaded.'), null, 2),
    is: 'overloaded',
    retryable: true,
  },

  {
    // https://github.com/dyad-sh/dyad/issues/3626
    says: 'prepaid credits that are used up',
    status: 429,
    body: {
      error: {
        code: 429,
        message:
          'Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.',
        status: 'RESOURCE_EXHAUSTED',
      },
    },
    is: 'billing_error',
    retryable: false,
  },
  {
    says: "a project's cap on spending",
    status: 429,
    body: {
      error: {
        code: 429,
        message:
          'Your project has exceeded its monthly spending cap. Please go to AI Studio at https://ai.studio/spend',
        status: 'RESOURCE_EXHAUSTED',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    // https://github.com/ymichael/open-codex/issues/28
    says: 'a model that the free tier does not have',
    status: 429,
    body: {
      error: {
        code: 429,
        message:
          "Gemini 2.5 Pro Preview doesn't have a free quota tier. Please use Gemini 2.5 Pro Experimental instead.",
        status: 'RESOURCE_EXHAUSTED',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    // https://github.com/langgenius/dify/issues/19838
    says: "a day's quota, printed into the message of a gateway",
    status: 429,
    body: {
      error_type: 'ClientError',
      message:
        "429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'details': [{'violations': [{'quotaMetric': 'generativelanguage.googleapis.com/generate_requests_per_model_per_day', 'quotaId': 'GenerateRequestsPerDayPerProjectPerModel'}]}]}}",
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: "a minute's quota, printed into the message of a gateway",
    status: 429,
    body: {
      error_type: 'ClientError',
      message:
        "429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'details': [{'violations': [{'quotaMetric': 'generativelanguage.googleapis.com/generate_requests', 'quotaId': 'GenerateRequestsPerMinutePerProjectPerModel'}]}]}}",
    },
    is: 'rate_limit',
    retryable: true,
  },

  {
    says: "a day's quota, in a sentence alone",
    status: 429,
    body: {
      error: {
        code: 429,
        message:
          "Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per day per user per tier' of service 'cloudcode-pa.googleapis.com' for consumer 'project_number:1'.",
        status: 'RESOURCE_EXHAUSTED',
      },
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    says: "a minute's quota, in a sentence alone",
    status: 429,
    body: {
      error: {
        code: 429,
        message:
          "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute per day' of service 'x.googleapis.com'.",
        status: 'RESOURCE_EXHAUSTED',
      },
    },
    is: 'rate_limit',
    retryable: true,
  },
  {
    // https://github.com/google-gemini/deprecated-generative-ai-python/issues/206
    says: 'a limit of 0, as Python prints it',
    status: 429,
    body: {
      detail:
        '429 Quota exceeded for metric \'requests per minute\' of service \'generativelanguage.googleapis.com\' [metadata {\n  key: "quota_limit_value"\n  value: "0"\n}\n]',
    },
    is: 'quota_exhausted',
    retryable: false,
  },
  {
    // https://github.com/langchain-ai/langchain-google/issues/945
    says: 'a wait, as Python prints it',
    status: 429,
    body: {
      detail:
        '429 You exceeded your current quota [violations {\n  quota_metric: "generativelanguage.googleapis.com/x"\n  quota_id: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"\n}\n, retry_delay {\n  seconds: 43\n}\n]',
    },
    is: 'rate_limit',
    retryable: true,
    afterMs: 43_000,
  },
]);

describeCases('Gemini, inside a success without content', [
  {
    says: 'a function call that could not be read, in an answer',
    status: 200,
    body: {
      candidates: [
        { content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: 429 quota' },
      ],
      usageMetadata: {},
    },
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a function call that could not be read, in a stream',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: sse(['', { candidates: [{ content: { role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL' }] }]),
    is: 'server_error',
    retryable: true,
  },
  {
    says: 'a function call that could not be read, in a stream after a text',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: sse(
      ['', { candidates: [{ content: { parts: [{ text: 'Hi' }] } }] }],
      ['', { candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] }],
    ),
    is: 'server_error',
    retryable: false,
  },
]);

test.each(['STOP', 'MAX_TOKENS', 'SAFETY', 'OTHER', 'UNEXPECTED_TOOL_CALL', ''])(
  'an empty answer of Gemini that ends with "%s" is an answer',
  (finishReason) => {
    const body = JSON.stringify({ candidates: [{ content: {}, finishReason }] });
    expect(classify({ status: 200, body })).toBeNull();
  },
);
