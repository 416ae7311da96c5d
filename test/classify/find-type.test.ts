import { describe, expect, test } from 'vitest';
import { readEvidence } from '../../src/classify/envelope.ts';
import { type Judged, readEvidenceType } from '../../src/classify/find-type.ts';
import { describeCases } from './cases.ts';

const read = (status: number, value: unknown, waitMs = 0): Judged =>
  readEvidenceType(readEvidence(status, value, JSON.stringify(value), null), waitMs);
const error = (message: string, more: object = {}): object => ({ error: { message, ...more } });

describeCases('several rules, of which one precedes', {
  quota_exhausted: {
    'a decisive code beats a rate limit’s type': [
      429,
      error('', { type: 'rate_limit_error', code: 'insufficient_quota' }),
    ],
    'a budget that LiteLLM keeps': [
      400,
      error('Budget has been exceeded! Current cost: 10.2, Max budget: 10.0', { type: 'budget_exceeded', code: '400' }),
    ],
    "what a day has for free (Cloudflare's Workers AI)": [
      429,
      { errors: [{ message: 'you have used up your daily free allocation of 10,000 neurons', code: 4006 }] },
    ],
    'a code for quotas beats a minute': [429, error('per minute', { code: 'insufficient_quota' })],
    'a limit of nothing beats a minute': [429, error('Requests per minute, limit: 0')],
    'a weekly limit is a quota': [429, error('Your weekly message limit was met')],
  },
  billing_error: {
    'decisive wording beats a rate limit’s type': [
      429,
      error('Credit balance is too low', { type: 'rate_limit_error' }),
    ],
    'an empty account beats a request above the limit': [
      429,
      error('Credit balance is too low: Limit 7000, Requested 12903'),
    ],
    'a number counts with the status that a gateway quotes': [502, error('Upstream error 400: no', { code: '1113' })],
    'a limit per minute is none of the bill': [429, error('Payment required beyond 5 requests per minute')],
  },
  overloaded: {
    'a usual code beats the status': [429, error('', { type: 'overloaded_error' })],
    'a usual code beats a permanent status': [400, error('', { type: 'overloaded_error' })],
    'a transient status beats wording of a refusal': [503, error('Streaming is not supported right now')],
  },
  rate_limit: {
    'a limit that another sentence only mentions is no quota': [
      429,
      error('You exceeded the rate limit, see the page on usage limits'),
    ],
    'usual wording beats a transient status': [502, error('Too many requests')],
    'a request below the limit is not': [429, error('Limit 7000, Used 6900, Requested 903')],
    'inside a success, a usual code that is transient beats wording of a refusal': [
      200,
      error('The engine does not support so many calls', { code: 'rate_limit_exceeded' }),
    ],
    'a minute beats a quota': [429, error('Quota exceeded: you exceeded your current quota of 60 requests per minute')],
    'a minute beats any name of a quota that no provider has for its own': [
      429,
      error('Requests per minute limit exceeded', { code: 'request_quota_exceeded' }),
    ],
    'too many requests, whatever the status': [400, error('Too many requests in 1 hour')],
    'Gemini’s words in a gateway’s envelope are a limit, as in its own': [
      429,
      error('You exceeded your current quota. See https://ai.google.dev/gemini-api/docs/rate-limits.'),
    ],
    'a minute beats a day': [429, error('Limits: 10 requests per minute, 500 per day')],
    'nothing remaining is no limit of nothing': [429, error('Remaining limit: 0')],
    'requests per minute are a rate, whatever is said of the day': [429, error('Daily limit: 5 RPM')],
  },
  invalid_request: {
    'a permanent status beats usual wording': [400, error('The field rate limit is overloaded')],
    'inside a success, wording of a wrong address is permanent': [200, error('Invalid URL')],
    'an invalid request that a gateway passes on as its own failure': [
      500,
      error('A tool result is missing', { type: 'invalid_request_error' }),
    ],
    'an image of a wrong format is no missing feature': [
      400,
      error('Image format image/tiff not supported', { type: 'invalid_request_error' }),
    ],
    'a daily limit in a wrong request is no quota': [400, error('Give the daily limit')],
    'suspension of a feature is none of the account': [400, error('This tool has been disabled')],
  },
  context_too_long: {
    'a context that a failing server has met is believed': [500, error('maximum context length is 4096 tokens')],
    'a request above the whole limit is too long': [429, error('Limit 7000, Used 0, Requested 12903')],
    'a gateway that fails learns that the input is too long': [503, error('maximum context length')],
    'a server that fails learns that the input is too long': [500, error('maximum context length')],
  },
  auth_invalid: {
    'the status beats a vague name': [401, error('', { type: 'invalid_request_error' })],
    'a server that fails for want of a key is believed': [500, error('Invalid API key')],
  },
  unsupported_feature: {
    'inside a success, wording of a refusal beats a usual code that is final': [
      200,
      error('The engine does not support tools', { code: 'InvalidParameter' }),
    ],
    'with a permanent status, wording of a refusal beats a usual code': [
      400,
      error('The engine does not support tools', { code: 'rate_limit_exceeded' }),
    ],
  },
  timeout: {
    'the status beats a vague name of a failing server': [504, error('', { type: 'api_error' })],
  },
  content_policy: {
    'a filter of new-api': [400, error('It contains sensitive words', { code: 'sensitive_words_detected' })],
  },
  permission_denied: {
    'an API that is switched off is no suspended account': [
      403,
      error('The API has not been used in project 1 before or it is disabled.'),
    ],
  },
  account_suspended: {
    'a suspended account beats its billing': [403, error('Your account has been suspended, insufficient balance')],
  },
  model_not_found: {
    'a model that is not there beats what it does not support': [
      400,
      error('It does not support this.', { code: 'model_not_found' }),
    ],
  },
  server_error: {
    'a server that fails is not believed about a model that is away': [500, error('The model x is not available')],
  },
});

describe('basis', () => {
  test('is status if only the status decides', () => {
    for (const body of [{}, { message: 'Something' }, error('', { type: 'conflict_error' })])
      expect(read(409, body).basis).toBe('status');
    expect(read(409, error('', { type: 'invalid_request_error' })).basis).toBe('status');
  });

  test('is evidence if the body decides, even if it is vague', () => {
    expect(read(400, error('', { type: 'invalid_request_error' })).basis).toBe('evidence');
    expect(read(200, error('', { code: 502 })).basis).toBe('evidence');
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
  expect(read(429, error('Please retry after 86400 seconds.'))).toEqual({
    type: 'rate_limit',
    retryable: false,
    basis: 'evidence',
    action: 'Send a smaller request, or raise the limit: no wait helps.',
  });
});

describe('a 404', () => {
  const found = (type: string, message: string): Judged => read(404, error(message, { type }));

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
  expect(read(429, error('Limit 7000, Used 0, Requested 12903')).action).toMatch(/smaller request/);
});

test('a refusal that a gateway quotes is evidence, which x-should-retry does not override', () => {
  expect(read(500, error('upstream returned 401 Unauthorized'))).toMatchObject({
    type: 'auth_invalid',
    basis: 'evidence',
  });
});
