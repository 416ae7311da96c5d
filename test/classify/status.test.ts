import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { isRetryableStatusCode, RETRYABLE_STATUS_CODES, typeOfStatus } from '../../src/classify/status.ts';
import { FAILURES, type FailureType } from '../../src/failure/failure.ts';

const failed = Array.from({ length: 200 }, (_status, index) => 400 + index);

describe('isRetryableStatusCode', () => {
  test.each([408, 429, 498, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])('%i is retryable', (status) => {
    expect(isRetryableStatusCode(status)).toBe(true);
    expect(RETRYABLE_STATUS_CODES).toContain(status);
  });

  test.each([
    100,
    200,
    201,
    304,
    400,
    401,
    402,
    403,
    404,
    409,
    413,
    418,
    425,
    451,
    499,
    501,
    505,
    508,
    511,
    526,
    600,
    0,
    -1,
    429.5,
    Number.NaN,
  ])('%f is not retryable', (status) => {
    expect(isRetryableStatusCode(status)).toBe(false);
    expect(RETRYABLE_STATUS_CODES).not.toContain(status);
  });

  test('a list decides alone', () => {
    expect(isRetryableStatusCode(418, [418])).toBe(true);
    expect(isRetryableStatusCode(429, [418])).toBe(false);
    expect(isRetryableStatusCode(200, [200])).toBe(true);
    expect(isRetryableStatusCode(429, [])).toBe(false);
  });

  test('the list of names agrees with the taxonomy', () => {
    const named = Object.values(FAILURES).flatMap(({ http, strategy }) => (strategy === null ? [] : http));
    expect(new Set(named.filter(isRetryable))).toEqual(new Set(RETRYABLE_STATUS_CODES));
    expect(Object.isFrozen(RETRYABLE_STATUS_CODES)).toBe(true);
  });

  test('a bare status is classified by the same rule', () => {
    for (const status of failed)
      expect([status, classify({ status })?.retryable]).toEqual([status, isRetryable(status)]);
  });
});

describe('typeOfStatus', () => {
  test('is the row that names the status', () => {
    for (const [type, { http }] of Object.entries(FAILURES))
      for (const status of http) expect(typeOfStatus(status)).toBe(type);
  });

  test.each<[status: number, type: FailureType]>([
    [418, 'invalid_request'],
    [499, 'aborted'],
    [507, 'server_error'],
    [599, 'server_error'],
    [530, 'provider_unavailable'],
  ])('%i is %s', (status, type) => {
    expect(typeOfStatus(status)).toBe(type);
    expect(classify({ status })).toMatchObject({ type, phase: 'response', message: `HTTP ${status}` });
  });
});

function isRetryable(status: number): boolean {
  return isRetryableStatusCode(status);
}
