import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { isRetryableStatusCode, RETRYABLE_STATUS_CODES, typeOfStatus } from '../../src/classify/status.ts';
import { FAILURES, type FailureType } from '../../src/failure/failure.ts';

const failed = Array.from({ length: 200 }, (_status, index) => 400 + index);

const FINAL = [501, 505, 506, 508, 510, 511, 526];

describe('isRetryableStatusCode', () => {
  test('is true for three statuses and for the 5xx that may pass, and for no other number', () => {
    const numbers = [-1, 429.5, Number.NaN, ...Array.from({ length: 700 }, (_status, index) => index)];
    const retried = new Set(numbers.filter(isRetryable));
    expect([...retried].filter((status) => !(status >= 500 && status < 600))).toEqual([408, 429, 498]);
    expect(failed.filter((status) => status >= 500 && !retried.has(status))).toEqual(FINAL);
    expect(RETRYABLE_STATUS_CODES.filter((status) => !retried.has(status))).toEqual([]);
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
