import { describe, expect, test } from 'vitest';
import { noticeOf } from '../../../examples/chat-web/notice.ts';
import { classify, type RetryState, type StopReason } from '../../../src/index.ts';

const call = { callId: 'id', method: 'POST', url: 'https://api.example.com/', at: 1_000 } as const;
const ended = { ...call, attempts: 1, elapsedMs: 9, history: [] } as const;

function failed(status: number, because: StopReason, possibleAt?: number): RetryState {
  const failure = classify({ status, body: '' });
  if (failure === null) throw new TypeError(`A ${status} is no failure.`);
  const outcome = {
    ...ended,
    type: 'failed',
    because,
    failure,
    ...(possibleAt !== undefined && { possibleAt }),
  } as const;
  return { status: 'ended', outcome };
}

describe('a notice', () => {
  test('is not shown for a running or an answered call', () => {
    expect(noticeOf({ status: 'idle' })).toBeUndefined();
    expect(noticeOf({ status: 'ended', outcome: { ...ended, type: 'recovered' } })).toBeUndefined();
  });

  test('of a stopped call is calm, and offers to send the request again', () => {
    expect(noticeOf({ status: 'ended', outcome: { ...ended, type: 'cancelled' } })).toEqual({
      kind: 'calm',
      headline: 'Stopped',
      sentences: ['You stopped it after 1 attempt.'],
      actions: [],
      canAskAgain: true,
    });
  });

  test('of a failure says what it is, why it ended, and what to do', () => {
    expect(noticeOf(failed(401, 'not-retryable'))).toEqual({
      kind: 'error',
      headline: 'API key not accepted (HTTP 401)',
      sentences: ['The provider does not know the key, or knows it no longer.', 'A retry cannot help.'],
      actions: ['Check the API key: it is missing, wrong, expired or revoked.'],
      canAskAgain: false,
    });
  });

  test('says when a retry is possible, if the server said so', () => {
    expect(noticeOf(failed(429, 'retry-after-too-long', 91_000))?.sentences.at(-1)).toBe(
      'You can ask again in 1m 30s.',
    );
  });

  test.each([
    ['retries that are used up', failed(503, 'retries-exhausted'), true],
    ['a wait that was given up', failed(503, 'given-up'), true],
    ['a wait that is too long', failed(429, 'retry-after-too-long', 91_000), false],
    ['a failure that stays', failed(403, 'not-retryable'), false],
  ])('after %s offers to send the request again: %j', (_, state, canAskAgain) => {
    expect(noticeOf(state)?.canAskAgain).toBe(canAskAgain);
  });
});
