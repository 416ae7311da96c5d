import { describe, expect, test } from 'vitest';
import {
  announcementOf,
  counted,
  secondsLeft,
  spokenDelay,
  stopSentence,
  waitsOf,
} from '../../../examples/chat-web/words.ts';
import type { RetryState } from '../../../examples/retry-store.ts';
import { type AttemptRecord, classify, type Failure } from '../../../src/index.ts';

function failureOf(status: number, body: string): Failure {
  const failure = classify({ status, body });
  if (failure === null) throw new TypeError(`A ${status} is no failure.`);
  return failure;
}

const overloaded = failureOf(429, '{"error":{"type":"overloaded_error","message":"Overloaded"}}');
const call = { requestId: 'id', method: 'POST', url: 'https://api.example.com/', at: 0 } as const;
const waiting = {
  ...call,
  status: 'waiting',
  type: 'retry',
  attempt: 1,
  maxRetries: 3,
  delayMs: 5_000,
  nextAttemptAt: 5_000,
  because: 'backoff',
  failure: overloaded,
} as const satisfies RetryState;
const ended = { ...call, status: 'ended', attempts: 2, elapsedMs: 9, history: [] } as const;

describe('a screen reader is told', () => {
  test.each<readonly [said: string, state: RetryState]>([
    ['', { status: 'idle' }],
    ['Service overloaded (HTTP 429). Retrying in 5 seconds, attempt 1 of 3. Escape cancels.', waiting],
    ['Service overloaded (HTTP 429). Retrying in 5 seconds, attempt 2 of 3.', { ...waiting, attempt: 2 }],
    ['Trying again now.', { ...waiting, status: 'asking' }],
    ['The answer is arriving.', { ...ended, type: 'recovered' }],
    ['Cancelled after 2 attempts.', { ...ended, type: 'cancelled' }],
    [
      'Service overloaded (HTTP 429). Given up after 2 attempts.',
      { ...ended, type: 'failed', because: 'retries-exhausted', failure: overloaded },
    ],
    [
      'API key not accepted (HTTP 401). Asking again cannot help, so nothing is waited for. ' +
        'Check the API key: it is missing, wrong, expired or revoked.',
      { ...ended, type: 'failed', because: 'not-retryable', failure: failureOf(401, '') },
    ],
  ])('%j', (said, state) => {
    expect(announcementOf(state)).toBe(said);
  });
});

test.each([
  [0, '0s'],
  [1, '1s'],
  [1_000, '1s'],
  [4_001, '5s'],
  [90_000, '1m 30s'],
  [-20, '0s'],
])('a countdown with %d ms to go says %s, and is never early', (ms, said) => {
  expect(secondsLeft(1_000_000 + ms, 1_000_000)).toBe(said);
});

test.each([
  [0, 'no time'],
  [300, '1 second'],
  [5_000, '5 seconds'],
  [60_000, '1 minute'],
  [90_000, '1 minute 30 seconds'],
  [27_105_000, '7 hours 31 minutes 45 seconds'],
])('%d ms are read out as %s', (ms, said) => {
  expect(spokenDelay(ms)).toBe(said);
});

test('one thing is no plural', () => {
  expect([counted(1, 'attempt'), counted(0, 'attempt'), counted(3, 'attempt')]).toEqual([
    '1 attempt',
    '0 attempts',
    '3 attempts',
  ]);
});

test('a reason that has no sentence of its own is named', () => {
  expect(stopSentence('retry-after-too-long', 1)).toBe('Given up after 1 attempt: retry after too long.');
});

test('the waits are those that were waited, not those that were planned', () => {
  const attempt = (startedAt: number, durationMs: number): AttemptRecord => ({
    attempt: 1,
    startedAt,
    durationMs,
    failure: overloaded,
    delayMs: 5_000,
    because: 'backoff',
  });
  expect(waitsOf([attempt(0, 300), attempt(1_500, 300), attempt(6_800, 300)])).toEqual([1_200, 5_000, null]);
  expect(waitsOf([])).toEqual([]);
});
