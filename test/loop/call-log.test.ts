import { describe, expect, test } from 'vitest';
import { CallLog } from '../../src/loop/call-log.ts';
import { readError } from '../../src/classify/index.ts';

const FAILURE = readError(new Error('read ECONNRESET'));

/** A call that began at 1000 and whose first attempt has failed at 1250. */
function begun(): CallLog {
  const log = new CallLog(1_000);
  log.begin(1_000);
  log.settledAt = 1_250;
  return log;
}

describe('the log of a call', () => {
  test('an attempt is noted with its times, its failure and the wait after it', () => {
    const log = begun();
    log.note(undefined, FAILURE, { retry: true, delayMs: 2_000, because: 'backoff' });
    expect(log.history).toEqual([
      { attempt: 1, startedAt: 1_000, durationMs: 250, failure: FAILURE, delayMs: 2_000, because: 'backoff' },
    ]);
  });

  test('an attempt that nothing follows has no wait', () => {
    const log = begun();
    log.note('haiku', FAILURE, { retry: false, because: 'retries-exhausted' });
    expect(log.history[0]).toMatchObject({ delayMs: null, because: null, target: 'haiku' });
  });

  test('a clock that was set back gives no time back, neither to an attempt nor to the call', () => {
    const log = begun();
    log.settledAt = 400;
    log.note(undefined, null);
    expect(log.history[0]).toMatchObject({ durationMs: 0, failure: null });
    expect(log.spent(400)).toEqual({ totalDelayMs: 0, elapsedMs: 0 });
  });

  test('scheduled waits add up, whatever the clock says', () => {
    const log = begun();
    log.addDelay(500);
    log.addDelay(1_500);
    expect(log.spent(1_600)).toEqual({ totalDelayMs: 2_000, elapsedMs: 600 });
  });

  test('failures are counted by type, and afresh once the counts are forgotten', () => {
    const log = begun();
    expect([log.count('timeout'), log.count('overloaded'), log.count('timeout')]).toEqual([1, 1, 2]);
    log.forgetCounts();
    expect(log.count('timeout')).toBe(1);
  });

  test('an attempt that was begun is not noted until it is', () => {
    const log = begun();
    expect(log.isNoted).toBe(false);
    expect(log.lastFailure).toBeUndefined();
    log.note(undefined, FAILURE);
    expect(log.isNoted).toBe(true);
    expect(log.lastFailure).toBe(FAILURE);
    log.begin(3_000);
    expect(log.isNoted).toBe(false);
  });

  test('a history once given does not grow', () => {
    const log = begun();
    const early = log.history;
    log.note(undefined, FAILURE);
    expect(early).toEqual([]);
    expect(Object.isFrozen(log.history) && Object.isFrozen(log.history[0])).toBe(true);
  });

  test('the account of a call counts its attempts and its time', () => {
    const log = begun();
    log.note(undefined, FAILURE);
    log.begin(4_000);
    expect(log.account(4_100)).toMatchObject({ attempts: 2, elapsedMs: 3_100, history: [{ attempt: 1 }] });
  });
});
