import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/failure/history.ts';
import type { Failure } from '../../src/failure/failure.ts';
import { HttpStatusError, RetryExhaustedError } from '../../src/failure/http-status-error.ts';

const failure: Failure = {
  type: 'rate_limit',
  retryable: true,
  category: 'retryable',
  status: 429,
  message: 'slow down',
  phase: 'response',
};
const record: AttemptRecord = { attempt: 1, startedAt: 0, durationMs: 5, failure, delayMs: null, because: null };

describe('HttpStatusError', () => {
  test('says the status and the body', () => {
    const error = new HttpStatusError(429, '{"error":"slow down"}', failure);
    expect(error.message).toBe('HTTP 429: {"error":"slow down"}');
    expect([error.name, error.status, error.failure]).toEqual(['HttpStatusError', 429, failure]);
    expect(error).toBeInstanceOf(Error);
  });

  test('gives only the status if there was no body', () => {
    expect(new HttpStatusError(503, '', failure).message).toBe('HTTP 503');
  });

  test('holds plain data only', () => {
    const error = new HttpStatusError(429, 'x', failure);
    expect(Object.keys(error).toSorted()).toEqual(['failure', 'name', 'status']);
  });
});

describe('the stack of an HttpStatusError', () => {
  test('has no frames, which would keep the request and the response in memory', () => {
    const before = Error.stackTraceLimit;
    expect(new HttpStatusError(429, 'x', failure).stack).not.toMatch(/\n\s+at /);
    expect(Error.stackTraceLimit).toBe(before);
    expect(new Error('another').stack).toMatch(/\n\s+at /);
  });

  test('is left alone if Error cannot be changed', () => {
    const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit') ?? {};
    Object.defineProperty(Error, 'stackTraceLimit', { ...limit, writable: false });
    try {
      expect(new HttpStatusError(503, '', failure).message).toBe('HTTP 503');
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', limit);
    }
  });
});

describe('RetryExhaustedError', () => {
  test('says how often, what was seen last, and where to look', () => {
    const response = new Response('body', { status: 429 });
    const error = new RetryExhaustedError(429, response, [record, { ...record, attempt: 2 }]);
    expect(error.message).toContain('HTTP 429 after 2 attempts, last: rate_limit (slow down).');
    expect(error.message).toContain('`response`');
    expect(error.response).toBe(response);
    expect([error.name, error.attempts, error.history.length]).toEqual(['RetryExhaustedError', 2, 2]);
  });

  test('uses the singular for one attempt, and accepts a failure without a message', () => {
    const silent = { ...record, failure: { ...failure, message: '' } };
    expect(new RetryExhaustedError(503, new Response(), [silent]).message).toMatch(
      /^HTTP 503 after 1 attempt, last: rate_limit\. /,
    );
    expect(new RetryExhaustedError(503, new Response(), []).message).toMatch(
      /^HTTP 503 after 0 attempts, last: unknown\. /,
    );
  });
});

describe('a printed RetryExhaustedError', () => {
  const response = new Response('body', { status: 429, headers: { 'set-cookie': 'session=s3cr3t-session' } });
  Object.defineProperty(response, 'url', { value: 'https://h/v1?key=s3cr3t-query', enumerable: true });
  const error = new RetryExhaustedError(429, response, [record], { because: 'deadline', possibleAt: 5 });

  test.each<[string, (value: unknown) => string]>([
    ['inspected', (value) => inspect(value, { depth: 9, getters: true })],
    ['serialised', (value) => JSON.stringify(value)],
    ['spread', (value) => inspect({ ...Object(value) }, { depth: 9 })],
  ])('shows nothing of the response: %s', (_way, show) => {
    expect(show(error)).not.toContain('s3cr3t');
    expect(show(error)).toContain('rate_limit');
  });

  test('says why it ended, and when a retry would have been possible', () => {
    expect([error.because, error.possibleAt]).toEqual(['deadline', 5]);
    const plain = new RetryExhaustedError(429, response, [record]);
    expect([plain.because, plain.possibleAt]).toEqual(['retries-exhausted', undefined]);
  });
});
