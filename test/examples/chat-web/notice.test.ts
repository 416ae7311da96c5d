import { describe, expect, test } from 'vitest';
import { noticeOf } from '../../../examples/chat-web/notice.ts';
import type { RetryState } from '../../../examples/retry-store.ts';
import { classify, type StopReason } from '../../../src/index.ts';

const call = { requestId: 'id', method: 'POST', url: 'https://api.example.com/', at: 1_000 } as const;
const ended = { ...call, status: 'ended', attempts: 1, elapsedMs: 9, history: [] } as const;

function failed(status: number, because: StopReason, possibleAt?: number): RetryState {
  const failure = classify({ status, body: '' });
  if (failure === null) throw new TypeError(`A ${status} is no failure.`);
  return { ...ended, type: 'failed', because, failure, ...(possibleAt !== undefined && { possibleAt }) };
}

describe('a notice', () => {
  test('is not made of what is under way or has been answered', () => {
    expect(noticeOf({ status: 'idle' })).toBeUndefined();
    expect(noticeOf({ ...ended, type: 'recovered' })).toBeUndefined();
  });

  test('of a cancelled call is calm', () => {
    expect(noticeOf({ ...ended, type: 'cancelled' })).toEqual({
      kind: 'calm',
      headline: 'Cancelled',
      sentences: ['You stopped it after 1 attempt.'],
      actions: [],
    });
  });

  test('of a failure says what it is, why it is over, and what a person has to do', () => {
    expect(noticeOf(failed(401, 'not-retryable'))).toEqual({
      kind: 'error',
      headline: 'API key not accepted (HTTP 401)',
      sentences: [
        'The provider does not know the key, or knows it no longer.',
        'Asking again cannot help, so nothing is waited for.',
      ],
      actions: ['Check the API key: it is missing, wrong, expired or revoked.'],
    });
  });

  test('says when it would be possible, where the server has', () => {
    expect(noticeOf(failed(429, 'retry-after-too-long', 91_000))?.sentences.at(-1)).toBe(
      'It can be asked again in 1m 30s.',
    );
  });
});
