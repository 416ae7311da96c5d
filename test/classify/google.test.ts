import { expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { type Case, describeCases, sse } from './cases.ts';

const BOILERPLATE = 'You exceeded your current quota, please check your plan and billing details.';
const type = (name: string): string => `type.googleapis.com/google.rpc.${name}`;
const error = (code: number, status: string, message: string, details: readonly object[] = []): unknown => ({
  error: { code, message, status, details },
});
const at = (...args: Parameters<typeof error>): Case => [args[0], error(...args)];
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

describeCases('Google', {
  quota_exhausted: {
    'a daily limit of the older APIs': [
      403,
      {
        error: {
          code: 403,
          message: 'Daily Limit Exceeded',
          errors: [{ domain: 'usageLimits', reason: 'dailyLimitExceeded' }],
        },
      },
    ],
    'a limit per day with a short wait': [
      429,
      error(429, 'RESOURCE_EXHAUSTED', BOILERPLATE, [
        quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
        wait('36s'),
      ]),
      { afterMs: 36_000 },
    ],
    'a limit per day beside one per minute': at(429, 'RESOURCE_EXHAUSTED', BOILERPLATE, [
      {
        '@type': type('QuotaFailure'),
        violations: [{ quotaId: 'RequestsPerMinute' }, { quotaId: 'RequestsPerDay' }],
      },
    ]),
    'a limit of zero in the message': [
      429,
      error(
        429,
        'RESOURCE_EXHAUSTED',
        `${BOILERPLATE}\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0, model: gemini-3-pro\nPlease retry in 40s.`,
      ),
      { afterMs: 40_000 },
    ],
    'a limit of zero at 503': at(503, 'UNAVAILABLE', 'Quota exceeded, limit: 0'),
    'a Cloud Code quota': [
      429,
      error(
        429,
        'RESOURCE_EXHAUSTED',
        'You have exhausted your capacity on this model. Your quota will reset after 12h34m16s.',
        [info('QUOTA_EXHAUSTED'), wait('45256s')],
      ),
      { afterMs: 45_256_000 },
    ],
    'Cloud Code without credits': at(429, 'RESOURCE_EXHAUSTED', 'No credits', [
      info('INSUFFICIENT_G1_CREDITS_BALANCE'),
    ]),
    'a Cloud Code rate of an hour': [
      429,
      error(429, 'RESOURCE_EXHAUSTED', 'Your quota will reset after 1h.', [info('RATE_LIMIT_EXCEEDED'), wait('3600s')]),
      { afterMs: 3_600_000 },
    ],
    'a Cloud quota per day by its metadata': at(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded', [
      info('RATE_LIMIT_EXCEEDED', {
        quota_limit: 'GenerateContentRequestsPerDayPerProject',
        quota_limit_value: '1500',
      }),
    ]),
    'a Cloud quota of zero by its metadata': at(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded', [
      info('RATE_LIMIT_EXCEEDED', { quota_limit: 'PerMinute', quota_limit_value: '0' }),
    ]),
    "a project's cap on spending": [
      429,
      {
        error: {
          code: 429,
          message:
            'Your project has exceeded its monthly spending cap. Please go to AI Studio at https://ai.studio/spend',
          status: 'RESOURCE_EXHAUSTED',
        },
      },
    ],
    // https://github.com/ymichael/open-codex/issues/28
    'a model that the free tier does not have': [
      429,
      {
        error: {
          code: 429,
          message:
            "Gemini 2.5 Pro Preview doesn't have a free quota tier. Please use Gemini 2.5 Pro Experimental instead.",
          status: 'RESOURCE_EXHAUSTED',
        },
      },
    ],
    // https://github.com/langgenius/dify/issues/19838
    "a day's quota, printed into the message of a gateway": [
      429,
      {
        error_type: 'ClientError',
        message:
          "429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'details': [{'violations': [{'quotaMetric': 'generativelanguage.googleapis.com/generate_requests_per_model_per_day', 'quotaId': 'GenerateRequestsPerDayPerProjectPerModel'}]}]}}",
      },
    ],
    "a day's quota, in a sentence alone": [
      429,
      {
        error: {
          code: 429,
          message:
            "Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per day per user per tier' of service 'cloudcode-pa.googleapis.com' for consumer 'project_number:1'.",
          status: 'RESOURCE_EXHAUSTED',
        },
      },
    ],
    // https://github.com/google-gemini/deprecated-generative-ai-python/issues/206
    'a limit of 0, as Python prints it': [
      429,
      {
        detail:
          '429 Quota exceeded for metric \'requests per minute\' of service \'generativelanguage.googleapis.com\' [metadata {\n  key: "quota_limit_value"\n  value: "0"\n}\n]',
      },
    ],
  },
  rate_limit: {
    'a limit per minute in the words of a quota': [
      429,
      error(429, 'RESOURCE_EXHAUSTED', BOILERPLATE, [
        quota('GenerateContentInputTokensPerModelPerMinute-FreeTier'),
        wait('45.837906927s'),
      ]),
      { afterMs: 45_837.906927, code: 'RESOURCE_EXHAUSTED', provider: 'google' },
    ],
    'a limit per minute whose wait is in the message': [
      429,
      error(429, 'RESOURCE_EXHAUSTED', `${BOILERPLATE} Please retry in 900.2ms.`),
      { afterMs: 900.2 },
    ],
    'a limit of 20, which is not zero': at(429, 'RESOURCE_EXHAUSTED', `${BOILERPLATE} limit: 20`),
    'shared capacity, in a list': [
      429,
      [
        error(
          429,
          'RESOURCE_EXHAUSTED',
          'Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.',
        ),
      ],
    ],
    'a Cloud Code rate of five minutes': [
      429,
      error(429, 'RESOURCE_EXHAUSTED', 'Your quota will reset after 5m0s.', [
        info('RATE_LIMIT_EXCEEDED'),
        wait('300s'),
      ]),
      { afterMs: 300_000 },
    ],
    "a minute's quota, printed into the message of a gateway": [
      429,
      {
        error_type: 'ClientError',
        message:
          "429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'details': [{'violations': [{'quotaMetric': 'generativelanguage.googleapis.com/generate_requests', 'quotaId': 'GenerateRequestsPerMinutePerProjectPerModel'}]}]}}",
      },
    ],
    "a minute's quota, in a sentence alone": [
      429,
      {
        error: {
          code: 429,
          message:
            "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute per day' of service 'x.googleapis.com'.",
          status: 'RESOURCE_EXHAUSTED',
        },
      },
    ],
    // https://github.com/langchain-ai/langchain-google/issues/945
    'a wait, as Python prints it': [
      429,
      {
        detail:
          '429 You exceeded your current quota [violations {\n  quota_metric: "generativelanguage.googleapis.com/x"\n  quota_id: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"\n}\n, retry_delay {\n  seconds: 43\n}\n]',
      },
      { afterMs: 43_000 },
    ],
  },
  overloaded: {
    'no capacity for the model': [
      429,
      error(429, 'RESOURCE_EXHAUSTED', 'No capacity available for model gemini-3-pro on the server', [
        info('MODEL_CAPACITY_EXHAUSTED'),
        wait('9s'),
      ]),
      { afterMs: 9_000, code: 'MODEL_CAPACITY_EXHAUSTED' },
    ],
    'no capacity at 503': at(503, 'UNAVAILABLE', 'No capacity', [info('MODEL_CAPACITY_EXHAUSTED')]),
    overload: at(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    'an error that names only its status, in a stream': [
      200,
      sse(['', { error: { status: 'UNAVAILABLE', message: 'Unavailable' } }]),
      { headers: { 'content-type': 'text/event-stream' } },
    ],
    'bare JSON after the events, even after STOP': [
      200,
      `${sse(['', { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }])}${JSON.stringify(error(503, 'UNAVAILABLE', 'The model is overloaded.'), null, 2)}`,
      { headers: { 'content-type': 'text/event-stream' }, retryable: false },
    ],
    'bare JSON before any event': [
      200,
      JSON.stringify(error(503, 'UNAVAILABLE', 'The model is overloaded.'), null, 2),
      { headers: { 'content-type': 'text/event-stream' } },
    ],
  },
  server_error: {
    'an internal error': at(500, 'INTERNAL', 'An internal error has occurred.'),
    'a cancellation of its own': at(499, 'CANCELLED', 'The operation was cancelled.'),
  },
  timeout: {
    'a deadline': at(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'),
  },
  account_suspended: {
    'an account in breach of the terms': at(
      403,
      'PERMISSION_DENIED',
      'This service has been disabled in this account for violation of Terms of Service.',
    ),
  },
  auth_invalid: {
    'a wrong key, behind a 400': at(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      info('API_KEY_INVALID'),
    ]),
    'a wrong key by its wording': at(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.'),
    'no credentials': at(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
  },
  billing_error: {
    'billing that is switched off': at(403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled.', [
      info('BILLING_DISABLED'),
    ]),
    // https://github.com/dyad-sh/dyad/issues/3626
    'prepaid credits that are used up': [
      429,
      {
        error: {
          code: 429,
          message:
            'Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.',
          status: 'RESOURCE_EXHAUSTED',
        },
      },
    ],
  },
  permission_denied: {
    'a service that is switched off': at(
      403,
      'PERMISSION_DENIED',
      'Generative Language API has not been used in project 1 before or it is disabled.',
      [info('SERVICE_DISABLED')],
    ),
    'a location': at(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
  },
  context_too_long: {
    'too many input tokens': at(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
  },
  invalid_request: {
    'a malformed request': at(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.'),
    'a permanent error in a stream': [
      200,
      sse(['', { usageMetadata: {}, modelVersion: 'gemini-3' }], ['', error(400, 'INVALID_ARGUMENT', 'Bad.')]),
      { headers: { 'content-type': 'text/event-stream' } },
    ],
  },
  unsupported_feature: {
    'a method that does not exist': at(501, 'UNIMPLEMENTED', 'Operation is not implemented.'),
  },
});

describeCases('Gemini, inside a success without content', {
  server_error: {
    'a function call that could not be read, in an answer': [
      200,
      {
        candidates: [
          { content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: 429 quota' },
        ],
        usageMetadata: {},
      },
    ],
    'a function call that could not be read, in a stream': [
      200,
      sse(['', { candidates: [{ content: { role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL' }] }]),
      { headers: { 'content-type': 'text/event-stream' } },
    ],
    'a function call that could not be read, in a stream after a text': [
      200,
      sse(
        ['', { candidates: [{ content: { parts: [{ text: 'Hi' }] } }] }],
        ['', { candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] }],
      ),
      { headers: { 'content-type': 'text/event-stream' }, retryable: false },
    ],
  },
});

test.each(['STOP', 'MAX_TOKENS', 'SAFETY', 'OTHER', 'UNEXPECTED_TOOL_CALL', ''])(
  'an empty answer of Gemini that ends with "%s" is an answer',
  (finishReason) => {
    const body = JSON.stringify({ candidates: [{ content: {}, finishReason }] });
    expect(classify({ status: 200, body })).toBeNull();
  },
);
