import { describe, expect, test } from 'vitest';
import { FAILURES, isFailureType } from '../../src/failure/failure.ts';

const ROWS = Object.entries(FAILURES);

describe('the taxonomy', () => {
  test.each(ROWS)('the row of %s cannot be changed', (_type, row) => {
    expect([row, row.http, row.strategy ?? row].every((part) => Object.isFrozen(part))).toBe(true);
  });

  test.each(ROWS)('%s has a strategy or, where a person can do something, an action', (type, row) => {
    expect(row.strategy !== null || row.action !== null || ['aborted', 'unknown'].includes(type)).toBe(true);
    expect(row.strategy === null || row.category !== 'non-retryable').toBe(true);
  });

  test('no status stands for two types', () => {
    const statuses = ROWS.flatMap(([, { http }]) => http);
    expect(new Set(statuses).size).toBe(statuses.length);
  });

  test('cannot have a row more', () => {
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
