import { describe, expect, test } from 'vitest';
import { FAILURES, type FailureCategory, type FailureType, isFailureType } from '../../src/failure/failure.ts';

const ROWS = Object.entries(FAILURES);

describe('the taxonomy', () => {
  test.each(ROWS)('the row of %s cannot be changed', (_type, row) => {
    expect([row, row.http, row.strategy ?? row].every((part) => Object.isFrozen(part))).toBe(true);
  });

  test.each(ROWS)('%s has a strategy or, if a person can do something, an action', (type, row) => {
    expect(row.strategy !== null || row.action !== null || ['aborted', 'unknown'].includes(type)).toBe(true);
    expect(row.strategy === null || row.category !== 'non-retryable').toBe(true);
  });

  type Figures = readonly [most: number, firstMs: number, longestMs: number, multiplier: number, falls: boolean];
  test.each<[FailureType, Figures, readonly number[], FailureCategory]>([
    ['rate_limit', [4, 1_000, 60_000, 2, false], [429], 'retryable'],
    ['overloaded', [4, 5_000, 120_000, 2, true], [503, 529, 498], 'retryable'],
    ['server_error', [2, 1_000, 30_000, 2, true], [500], 'retryable'],
    ['timeout', [1, 0, 0, 1, false], [408, 504, 522, 524], 'retryable'],
    ['connection_error', [2, 500, 5_000, 1.5, false], [], 'retryable'],
    ['stream_interrupted', [1, 1_000, 5_000, 1.5, false], [], 'retryable'],
    ['cache_error', [1, 0, 0, 1, false], [], 'retryable'],
    ['provider_unavailable', [2, 1_000, 10_000, 2, true], [502, 520, 521, 523, 525, 526, 527, 530], 'conditional'],
  ])('%s has its strategy and its statuses', (type, figures, http, category) => {
    const [maxRetries, baseDelayMs, maxDelayMs, backoffMultiplier, fallback] = figures;
    const waits = { maxRetries, baseDelayMs, maxDelayMs, backoffMultiplier, jitter: 'full' };
    expect(FAILURES[type]).toEqual({ category, http, fallback, action: null, strategy: { ...waits, fallback } });
  });

  test('what is not retried falls back where another model or account can help, and a person is told what to do', () => {
    const rows = ROWS.filter(([, { strategy }]) => strategy === null);
    expect(rows.flatMap(([type, { fallback }]) => (fallback ? type : [])).toSorted()).toEqual([
      'billing_error',
      'context_too_long',
    ]);
    expect(rows.flatMap(([type, { category }]) => (category === 'conditional' ? type : []))).toEqual(['billing_error']);
    for (const [, { action, category }] of rows) {
      if (action !== null) expect(action).toMatch(/^[A-Z].*\.$/);
      expect(['non-retryable', 'conditional']).toContain(category);
    }
  });

  test.each<[FailureType, readonly number[]]>([
    ['auth_invalid', [401]],
    ['permission_denied', [403, 451]],
    ['context_too_long', [413]],
    ['billing_error', [402]],
    ['model_not_found', [404]],
    ['unsupported_feature', [501, 505]],
    ['aborted', [499]],
    ['content_policy', []],
    ['quota_exhausted', []],
    ['model_deprecated', []],
    ['account_suspended', []],
    ['unknown', []],
  ])('%s stands for %j', (type, http) => {
    expect(FAILURES[type].http).toEqual(http);
  });

  test('every other status of 4xx is a request that is wrong', () => {
    expect(FAILURES.invalid_request.http).toEqual([
      400, 405, 406, 409, 410, 411, 412, 414, 415, 416, 417, 421, 422, 423, 424, 425, 426, 428, 431,
    ]);
  });

  test('no status belongs to two types', () => {
    const statuses = ROWS.flatMap(([, { http }]) => http);
    expect(new Set(statuses).size).toBe(statuses.length);
  });

  test('cannot get another row', () => {
    expect(Object.isFrozen(FAILURES)).toBe(true);
  });
});

test('the names of failure types are their own, not what every object inherits', () => {
  expect(['rate_limit', 'rate_limits', 'toString', '__proto__'].map(isFailureType)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
