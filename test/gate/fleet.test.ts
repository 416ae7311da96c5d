import { describe, expect, test } from 'vitest';
import { fleet } from '../../src/gate/fleet.ts';
import { resolveConfig } from '../../src/options/policy.ts';

describe('the fleet policy', () => {
  test('waits with full jitter between 0 and 0.5, 1 and 2 seconds, at most 20, sixteen times', () => {
    const policy = resolveConfig(fleet());
    const longest = [0, 1, 2, 9].map((retry) => policy.backoff.delayFor(retry, { random: () => 0.999_999 }));
    expect(longest.map((delayMs) => Math.round(delayMs ?? 0))).toEqual([500, 1_000, 2_000, 20_000]);
    expect(policy.backoff.delayFor(0, { random: () => 0 })).toBe(0);
    expect(policy.maxRetries).toBe(16);
  });

  test('creates a gate at each call', () => {
    expect(fleet().gate).not.toBe(fleet().gate);
  });

  test('passes the options of the gate on', () => {
    expect(() => fleet({ maxWaiting: -1 })).toThrow(TypeError);
  });

  test('refuses options that are no object', () => {
    const message = 'Expected `options` to be an object such as { maxWaiting: 100 }, got null.';
    // @ts-expect-error -- callers in JavaScript
    expect(() => fleet(null)).toThrow(new TypeError(message));
  });
});
