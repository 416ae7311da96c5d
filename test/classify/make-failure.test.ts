import { describe, expect, test } from 'vitest';
import { makeFailure, statusFailure } from '../../src/classify/make-failure.ts';
import { FAILURES } from '../../src/failure/failure.ts';

const RATE_LIMIT = { type: 'rate_limit', phase: 'response', message: 'm' } as const;

describe('a failure', () => {
  test('has only the members that are known', () => {
    expect(makeFailure(RATE_LIMIT)).toStrictEqual({
      type: 'rate_limit',
      retryable: true,
      category: 'retryable',
      message: 'm',
      phase: 'response',
    });
    const hint = { ms: 5, source: 'body' } as const;
    expect(statusFailure({ ...RATE_LIMIT, status: 429, code: 'c', provider: 'p', hint })).toStrictEqual({
      type: 'rate_limit',
      retryable: true,
      category: 'retryable',
      message: 'm',
      phase: 'response',
      status: 429,
      code: 'c',
      provider: 'p',
      retryAfterMs: 5,
      hintSource: 'body',
    });
  });

  test('says what to do only if waiting cannot help and the remedy is known', () => {
    const refused = { ...RATE_LIMIT, retryable: false };
    expect(makeFailure(refused)).not.toHaveProperty('action');
    expect(makeFailure({ ...refused, action: 'Send less.' }).action).toBe('Send less.');
    expect(makeFailure({ ...RATE_LIMIT, action: 'Send less.' })).not.toHaveProperty('action');
    expect(makeFailure({ ...refused, type: 'auth_invalid' }).action).toBe(FAILURES.auth_invalid.action);
    expect(makeFailure({ ...refused, type: 'auth_invalid', retryable: true })).not.toHaveProperty('action');
  });

  test('has trimmed texts, cut to a maximum length', () => {
    expect(makeFailure({ ...RATE_LIMIT, message: ' m\n', code: ' c ' })).toMatchObject({ message: 'm', code: 'c' });
    const { message, code } = makeFailure({ ...RATE_LIMIT, message: 'm'.repeat(513), code: 'c'.repeat(129) });
    expect([message.length, code?.length]).toEqual([512, 128]);
  });

  test('has no direction marks, behind which a secret is masked too', () => {
    const message = 'Wrong key kd93-ve\u202Ery-sec\u2066ret, \u200Eno\u2069t this';
    const failure = makeFailure({ type: 'auth_invalid', phase: 'response', message, code: 'a\u202Eb' }, [
      'kd93-very-secret',
    ]);
    expect(failure).toMatchObject({ message: 'Wrong key [redacted], not this', code: 'ab' });
  });

  test('is frozen', () => {
    expect([makeFailure(RATE_LIMIT), statusFailure(RATE_LIMIT)].every(Object.isFrozen)).toBe(true);
  });
});
