import { describe, expect, it } from 'vitest';
import { attemptsMade, failureLabel, failureList, stopReason, waitedMs } from '../../../src/cli/display/wording.ts';
import { failureOf, historyOf, OVERLOADED, RESET } from '../samples.ts';

describe('failureLabel', () => {
  it.each([
    [OVERLOADED, '429 overloaded'],
    [failureOf('rate_limit', { status: 429 }), '429 rate limit'],
    [failureOf('provider_unavailable', { status: 502 }), '502 provider unavailable'],
    [RESET, 'connection reset'],
    [failureOf('connection_error', { code: 'UND_ERR_SOCKET' }), 'connection reset'],
    [failureOf('connection_error', { code: 'ECONNREFUSED' }), 'connection refused'],
    [failureOf('connection_error', { code: 'ENOTFOUND' }), 'host not found'],
    [failureOf('connection_error', { code: 'SOMETHING' }), 'connection error'],
    [failureOf('connection_error'), 'connection error'],
    [failureOf('timeout', { code: 'ETIMEDOUT' }), 'timeout'],
  ])('names a failure in a few words: %#', (failure, label) => {
    expect(failureLabel(failure)).toBe(label);
  });
});

describe('failureList', () => {
  it('lists each kind once, in the order of its first occurrence, with its count', () => {
    const history = historyOf([OVERLOADED, 1], [RESET, 1], [OVERLOADED, 1], [null, 0]);
    expect(failureList(history)).toBe('2 × 429 overloaded, connection reset');
    expect(failureList(historyOf([null, 0]))).toBe('');
  });
});

describe('waitedMs', () => {
  it('is the time between the attempts, not the planned waits', () => {
    expect(waitedMs(historyOf([OVERLOADED, 500], [RESET, 700], [null, 0]))).toBe(1_200);
    expect(waitedMs([])).toBe(0);
  });

  it('is never negative, even if the clock was set back', () => {
    const history = historyOf([OVERLOADED, -5_000], [null, 0]);
    expect(waitedMs(history)).toBe(0);
  });
});

describe('stopReason', () => {
  it.each([
    ['not-retryable', 'a retry cannot help'],
    ['retries-exhausted', 'no retries are left'],
    ['given-up', 'the wait was ended by hand'],
  ] as const)('says %s in words', (because, words) => {
    expect(stopReason(because)).toBe(words);
  });
});

describe('attemptsMade', () => {
  it('uses the singular for one', () => {
    expect([1, 2].map(attemptsMade)).toEqual(['1 attempt', '2 attempts']);
  });
});
