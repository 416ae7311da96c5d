import { describe, expect, test } from 'vitest';
import {
  announcementOf,
  attemptName,
  counted,
  secondsLeft,
  spokenDelay,
  stopSentence,
  waitsOf,
} from '../../../examples/chat-web/words.ts';
import { type AttemptRecord, classify, type Failure, type RetryState } from '../../../src/index.ts';

function failureOf(status: number, body: string): Failure {
  const failure = classify({ status, body });
  if (failure === null) throw new TypeError(`A ${status} is no failure.`);
  return failure;
}

const overloaded = failureOf(529, '{"error":{"type":"overloaded_error","message":"Overloaded"}}');
const waiting = {
  status: 'waiting',
  at: 0,
  retry: 1,
  maxRetries: 3,
  delayMs: 5_000,
  nextAttemptAt: 5_000,
  because: 'backoff',
  failure: overloaded,
} as const satisfies RetryState;
const ended = {
  callId: 'id',
  method: 'POST',
  url: 'https://api.example.com/',
  at: 0,
  status: 'ended',
  attempts: 2,
  elapsedMs: 9,
  history: [],
} as const;

describe('a screen reader says', () => {
  test.each<readonly [said: string, state: RetryState]>([
    ['', { status: 'idle' }],
    ['Service overloaded (HTTP 529): retry 1 of 3 in 5 seconds. Escape stops.', waiting],
    ['Service overloaded (HTTP 529): retry 2 of 3 in 5 seconds.', { ...waiting, retry: 2 }],
    ['Service overloaded (HTTP 529): retry 2 in 5 seconds.', { ...waiting, retry: 2, maxRetries: null }],
    [
      'Waiting in line: first attempt in 5 seconds. Escape stops.',
      { ...waiting, retry: 0, maxRetries: null, failure: undefined, because: 'pace' },
    ],
    ['Retrying now.', { ...waiting, status: 'sending' }],
    ['The answer is arriving.', { status: 'ended', outcome: { ...ended, type: 'recovered' } }],
    ['Stopped after 2 attempts.', { status: 'ended', outcome: { ...ended, type: 'cancelled' } }],
    [
      'Service overloaded (HTTP 529). No retries are left. 2 attempts were made.',
      { status: 'ended', outcome: { ...ended, type: 'failed', because: 'retries-exhausted', failure: overloaded } },
    ],
    [
      'API key not accepted (HTTP 401). A retry cannot help. 2 attempts were made. ' +
        'Check the API key: it is missing, wrong, expired or revoked.',
      { status: 'ended', outcome: { ...ended, type: 'failed', because: 'not-retryable', failure: failureOf(401, '') } },
    ],
  ])('what there is to say of a state: %j', (said, state) => {
    expect(announcementOf(state)).toBe(said);
  });
});

test.each([
  [0, '1s'],
  [6, '1s'],
  [1_000, '1s'],
  [4_001, '5s'],
  [90_000, '1m 30s'],
  [-20, '1s'],
])('a countdown with %d ms left as %s: whole seconds, never early, never 0', (ms, said) => {
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

test('the singular is used for one', () => {
  expect([counted(1, 'attempt'), counted(0, 'attempt'), counted(3, 'attempt')]).toEqual([
    '1 attempt',
    '0 attempts',
    '3 attempts',
  ]);
});

test('a retry has its number and the limit, if there is one', () => {
  const counts = [
    { retry: 2, maxRetries: 4 },
    { retry: 2, maxRetries: null },
    { retry: 0, maxRetries: null },
  ].map(attemptName);
  expect(counts).toEqual(['retry 2 of 4', 'retry 2', 'first attempt']);
});

test('the attempts are counted if there was more than one', () => {
  expect(stopSentence('given-up', 1)).toBe('The wait was ended by hand.');
  expect(stopSentence('given-up', 3)).toBe('The wait was ended by hand. 3 attempts were made.');
});

test('the waits have their real length, even a last one that was stopped', () => {
  const attempt = (startedAt: number, durationMs: number, delayMs: number | null = 5_000): AttemptRecord => ({
    attempt: 1,
    startedAt,
    durationMs,
    failure: overloaded,
    delayMs,
    because: 'backoff',
  });
  const before = [attempt(0, 300), attempt(1_500, 300)];
  expect(waitsOf([...before, attempt(6_800, 300, null)], 7_100)).toEqual([1_200, 5_000, null]);
  expect(waitsOf([...before, attempt(6_800, 300)], 8_000)).toEqual([1_200, 5_000, 900]);
  expect(waitsOf([], 8_000)).toEqual([]);
});
