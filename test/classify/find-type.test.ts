import { describe, expect, test } from 'vitest';
import { readEvidence } from '../../src/classify/envelope.ts';
import { type Judged, readEvidenceType } from '../../src/classify/find-type.ts';

const read = (status: number, value: unknown, waitMs = 0): Judged =>
  readEvidenceType(readEvidence(status, value, JSON.stringify(value), null), waitMs);
const error = (fields: object): object => ({ error: { message: '', ...fields } });

describe('the precedence of rules', () => {
  test.each<[what: string, status: number, body: unknown, type: string]>([
    [
      'a decisive code beats a rate limit’s type',
      429,
      error({ type: 'rate_limit_error', code: 'insufficient_quota' }),
      'quota_exhausted',
    ],
    [
      'decisive wording beats a rate limit’s type',
      429,
      error({ type: 'rate_limit_error', message: 'Credit balance is too low' }),
      'billing_error',
    ],
    ['a usual code beats the status', 429, error({ type: 'overloaded_error' }), 'overloaded'],
    [
      'a limit that another sentence only mentions is no quota',
      429,
      error({ message: 'You exceeded the rate limit, see the page on usage limits' }),
      'rate_limit',
    ],
    ['a usual code beats a permanent status', 400, error({ type: 'overloaded_error' }), 'overloaded'],
    ['usual wording beats a transient status', 502, error({ message: 'Too many requests' }), 'rate_limit'],
    [
      'a permanent status beats usual wording',
      400,
      error({ message: 'The field rate limit is overloaded' }),
      'invalid_request',
    ],
    [
      'a transient status beats wording of a refusal',
      503,
      error({ message: 'Streaming is not supported right now' }),
      'overloaded',
    ],
    [
      'a context that a failing server has met is believed',
      500,
      error({ message: 'maximum context length is 4096 tokens' }),
      'context_too_long',
    ],
    ['the status beats a vague name', 401, error({ type: 'invalid_request_error' }), 'auth_invalid'],
    [
      'a request above the whole limit is too long',
      429,
      error({ message: 'Limit 7000, Used 0, Requested 12903' }),
      'context_too_long',
    ],
    ['a request below the limit is not', 429, error({ message: 'Limit 7000, Used 6900, Requested 903' }), 'rate_limit'],
    [
      'an empty account beats a request above the limit',
      429,
      error({ message: 'Credit balance is too low: Limit 7000, Requested 12903' }),
      'billing_error',
    ],
    [
      'a number counts with the status that a gateway quotes',
      502,
      error({ code: '1113', message: 'Upstream error 400: no' }),
      'billing_error',
    ],
    [
      'inside a success, wording of a refusal beats a usual code that is final',
      200,
      error({ code: 'InvalidParameter', message: 'The engine does not support tools' }),
      'unsupported_feature',
    ],
    [
      'inside a success, a usual code that is transient beats wording of a refusal',
      200,
      error({ code: 'rate_limit_exceeded', message: 'The engine does not support so many calls' }),
      'rate_limit',
    ],
    [
      'with a permanent status, wording of a refusal beats a usual code',
      400,
      error({ code: 'rate_limit_exceeded', message: 'The engine does not support tools' }),
      'unsupported_feature',
    ],
    [
      'inside a success, wording of a wrong address is permanent',
      200,
      error({ message: 'Invalid URL' }),
      'invalid_request',
    ],
    ['the status beats a vague name of a failing server', 504, error({ type: 'api_error' }), 'timeout'],
    [
      'a minute beats a quota',
      429,
      error({ message: 'Quota exceeded: you exceeded your current quota of 60 requests per minute' }),
      'rate_limit',
    ],
    [
      'a minute beats any name of a quota that no provider has for its own',
      429,
      error({ code: 'request_quota_exceeded', message: 'Requests per minute limit exceeded' }),
      'rate_limit',
    ],
    [
      'an invalid request that a gateway passes on as its own failure',
      500,
      error({ type: 'invalid_request_error', message: 'A tool result is missing' }),
      'invalid_request',
    ],
    ['too many requests, whatever the status', 400, error({ message: 'Too many requests in 1 hour' }), 'rate_limit'],
    [
      'Gemini’s words in a gateway’s envelope are a limit, as in its own',
      429,
      error({ message: 'You exceeded your current quota. See https://ai.google.dev/gemini-api/docs/rate-limits.' }),
      'rate_limit',
    ],
    [
      'a filter of new-api',
      400,
      error({ code: 'sensitive_words_detected', message: 'It contains sensitive words' }),
      'content_policy',
    ],
    [
      'an API that is switched off is no suspended account',
      403,
      error({ message: 'The API has not been used in project 1 before or it is disabled.' }),
      'permission_denied',
    ],
    [
      'an image of a wrong format is no missing feature',
      400,
      error({ type: 'invalid_request_error', message: 'Image format image/tiff not supported' }),
      'invalid_request',
    ],
    [
      'a budget that LiteLLM keeps',
      400,
      error({
        message: 'Budget has been exceeded! Current cost: 10.2, Max budget: 10.0',
        type: 'budget_exceeded',
        code: '400',
      }),
      'quota_exhausted',
    ],
    [
      "what a day has for free (Cloudflare's Workers AI)",
      429,
      { errors: [{ message: 'you have used up your daily free allocation of 10,000 neurons', code: 4006 }] },
      'quota_exhausted',
    ],
    ['a minute beats a day', 429, error({ message: 'Limits: 10 requests per minute, 500 per day' }), 'rate_limit'],
    [
      'a code for quotas beats a minute',
      429,
      error({ code: 'insufficient_quota', message: 'per minute' }),
      'quota_exhausted',
    ],
    ['a limit of nothing beats a minute', 429, error({ message: 'Requests per minute, limit: 0' }), 'quota_exhausted'],
    ['nothing remaining is no limit of nothing', 429, error({ message: 'Remaining limit: 0' }), 'rate_limit'],
    [
      'a suspended account beats its billing',
      403,
      error({ message: 'Your account has been suspended, insufficient balance' }),
      'account_suspended',
    ],
    [
      'a model that is not there beats what it does not support',
      400,
      error({ code: 'model_not_found', message: 'It does not support this.' }),
      'model_not_found',
    ],
    [
      'a limit per minute is none of the bill',
      429,
      error({ message: 'Payment required beyond 5 requests per minute' }),
      'billing_error',
    ],
    [
      'a gateway that fails learns that the input is too long',
      503,
      error({ message: 'maximum context length' }),
      'context_too_long',
    ],
    [
      'a server that fails learns that the input is too long',
      500,
      error({ message: 'maximum context length' }),
      'context_too_long',
    ],
    ['a server that fails for want of a key is believed', 500, error({ message: 'Invalid API key' }), 'auth_invalid'],
    [
      'a server that fails is not believed about a model that is away',
      500,
      error({ message: 'The model x is not available' }),
      'server_error',
    ],
    [
      'a daily limit in a wrong request is no quota',
      400,
      error({ message: 'Give the daily limit' }),
      'invalid_request',
    ],
    ['a weekly limit is a quota', 429, error({ message: 'Your weekly message limit was met' }), 'quota_exhausted'],
    [
      'requests per minute are a rate, whatever is said of the day',
      429,
      error({ message: 'Daily limit: 5 RPM' }),
      'rate_limit',
    ],
    [
      'suspension of a feature is none of the account',
      400,
      error({ message: 'This tool has been disabled' }),
      'invalid_request',
    ],
  ])('is settled: %s', (_what, status, body, type) => {
    expect(read(status, body).type).toBe(type);
  });
});

describe('basis', () => {
  test('is status if only the status decides', () => {
    for (const body of [{}, { message: 'Something' }, error({ type: 'conflict_error' })])
      expect(read(409, body).basis).toBe('status');
    expect(read(409, error({ type: 'invalid_request_error' })).basis).toBe('status');
  });

  test('is evidence if the body decides, even if it is vague', () => {
    expect(read(400, error({ type: 'invalid_request_error' })).basis).toBe('evidence');
    expect(read(200, error({ code: 502 })).basis).toBe('evidence');
    expect(read(418, { error: { availability: { retryable: true } } })).toEqual({
      type: 'invalid_request',
      retryable: true,
      basis: 'evidence',
    });
    expect(read(503, { error: { availability: { retryable: true } } }).basis).toBe('evidence');
  });
});

test('the wait distinguishes a quota of Cloud Code from a rate limit', () => {
  const body = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Your quota will reset after a while.' } };
  expect(read(429, body, 300_000).type).toBe('rate_limit');
  expect(read(429, body, 300_001).type).toBe('quota_exhausted');
  const other = { error: { ...body.error, message: 'Try again after a while.' } };
  expect(read(429, other, 300_001).type).toBe('rate_limit');
});

test('a wait of a day that nothing shortens has other advice', () => {
  expect(read(429, error({ message: 'Please retry after 86400 seconds.' }))).toEqual({
    type: 'rate_limit',
    retryable: false,
    basis: 'evidence',
    action: 'Send a smaller request, or raise the limit: no wait helps.',
  });
});

describe('a 404', () => {
  const found = (type: string, message: string): Judged => read(404, error({ type, message }));

  test('is about the URL if it names no model', () => {
    expect(found('not_found_error', 'Not Found')).toMatchObject({
      type: 'invalid_request',
      action: expect.stringMatching(/URL/),
    });
  });

  test('is about the model if it names one', () => {
    expect(found('not_found_error', 'No such deployment')).toMatchObject({ type: 'model_not_found' });
    expect(found('not_found_error', 'No such deployment').action).toBeUndefined();
  });

  test('may be about something else', () => {
    expect(found('permission_error', 'Not Found').type).toBe('permission_denied');
  });
});

test('a request above the whole limit has other advice', () => {
  expect(read(429, error({ message: 'Limit 7000, Used 0, Requested 12903' })).action).toMatch(/smaller request/);
});

test('a refusal that a gateway quotes is evidence, which x-should-retry does not override', () => {
  expect(read(500, error({ message: 'upstream returned 401 Unauthorized' }))).toMatchObject({
    type: 'auth_invalid',
    basis: 'evidence',
  });
});
