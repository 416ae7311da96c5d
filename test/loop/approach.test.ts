import { describe, expect, test, vi } from 'vitest';
import { Approach } from '../../src/loop/approach.ts';
import { CallLog } from '../../src/loop/call-log.ts';
import { readError } from '../../src/classify/index.ts';
import type { RetryConfig } from '../../src/policy/config.ts';
import { resolveConfig } from '../../src/policy/policy.ts';
import type { Refusal } from '../../src/loop/refusal.ts';
import { type FakeRuntime, fakeRuntime, thrownBy } from '../script.ts';

const CALL = { identity: { requestId: 'r', method: 'POST', url: 'https://api.example.com/' } };
const FAILURE = readError(new Error('read ECONNRESET'));

/** An approach whose walk rests for the given times, one after the other, before somebody is free. */
function approach(
  config: RetryConfig,
  restsMs: readonly (number | Refusal)[] = [],
): { readonly approach: Approach; readonly log: CallLog; readonly runtime: FakeRuntime } {
  const runtime = fakeRuntime();
  const log = new CallLog(runtime.time);
  const left = [...restsMs];
  const walk = { choose: () => left.shift() ?? 0 };
  return { approach: new Approach(resolveConfig({ ...config, runtime }), CALL, walk, undefined, log), log, runtime };
}

describe('the way to an attempt', () => {
  test('before the first attempt there is nothing to undo', async () => {
    const rollback = vi.fn<() => void>();
    const { approach: way } = approach({ rollback, operation: 'file_write' });
    expect(await way.enter(undefined)).toBeNull();
    expect(rollback).not.toHaveBeenCalled();
  });

  test('what a failed attempt may have done is undone before the next', async () => {
    const rollback = vi.fn<() => void>();
    const { approach: way, log } = approach({ rollback, operation: 'file_write' });
    log.begin(0);
    log.note(undefined, FAILURE);
    expect(await way.enter(undefined)).toBeNull();
    expect(rollback).toHaveBeenCalledExactlyOnceWith(FAILURE);
  });

  test('what cannot be undone ends the call with what `rollback` threw', async () => {
    const broken = new Error('the disk is gone');
    const { approach: way, log } = approach({ rollback: () => Promise.reject(broken), operation: 'file_write' });
    log.begin(0);
    log.note(undefined, FAILURE);
    expect(await thrownBy(way.enter(undefined))).toBe(broken);
  });

  test('somebody who is free is asked in the same turn', () => {
    expect(approach({}).approach.choose(undefined)).toBeNull();
  });

  test('while everybody rests the call waits, and its waiting is counted', async () => {
    const { approach: way, log, runtime } = approach({}, [2_000, 500]);
    for (let rest = way.choose(undefined); rest !== null; rest = way.choose(undefined)) await rest;
    expect(runtime.slept).toEqual([2_000, 500]);
    expect(log.spent(runtime.time).totalDelayMs).toBe(2_500);
  });

  test('a rest that is refused is not waited for, and the reason is handed on', () => {
    const refusal = { because: 'deadline', error: new Error('all rest'), possibleAt: 9 } as const;
    const { approach: way, log, runtime } = approach({}, [refusal]);
    expect(way.choose(undefined)).toBe(refusal);
    expect([runtime.slept, log.spent(runtime.time).totalDelayMs]).toEqual([[], 0]);
  });

  test('an abort ends the rest with its own reason', async () => {
    const { approach: way } = approach({}, [2_000]);
    expect(await thrownBy(Promise.resolve(way.choose(AbortSignal.abort('enough'))))).toBe('enough');
  });
});
