import { describe, expect, it } from 'vitest';
import { describeEvent } from '../../src/index.ts';
import { type FinalEvent, summary } from '../../src/report/summary.ts';
import { attempt, failedEvent, failure, recoveredEvent } from './samples.ts';

const success = { failure: null, delayMs: null, because: null } as const;

describe('a summary', () => {
  it.each([
    ['no attempts', []],
    ['succeeded after 1 attempt in 200ms', [attempt(1, success)]],
    [
      'failed after 1 attempt in 200ms (quota exhausted)',
      [attempt(1, { failure: failure('quota_exhausted'), delayMs: null })],
    ],
    ['failed after 2 attempts in 1.2s (2 × overloaded, waited 800ms)', [attempt(1), attempt(2, { delayMs: null })]],
    [
      'failed after 3 attempts in 2.2s (timeout, server error, overloaded)',
      [
        attempt(1, { failure: failure('timeout'), delayMs: 0 }),
        attempt(2, { failure: failure('server_error'), delayMs: 0 }),
        attempt(3, { delayMs: null }),
      ],
    ],
    [
      'succeeded after 3 attempts in 2.2s (2 × overloaded, waited 1.6s, fell back to b, then c)',
      [attempt(1), attempt(2, { target: 'b' }), attempt(3, { ...success, target: 'c' })],
    ],
    ['failed after 1 attempt in 200ms (overloaded)', [attempt(1, { delayMs: null, target: 'only' })]],
  ])('says "%s"', (expected, history) => {
    expect(summary(history)).toBe(expected);
  });

  it('accepts the events that end a call, with their count of attempts', () => {
    const { callId, method, url, at, history } = failedEvent();
    const cancelled: FinalEvent = {
      type: 'cancelled',
      callId,
      method,
      url,
      at,
      attempts: 3,
      elapsedMs: 1_200,
      history,
    };
    expect(summary(failedEvent())).toBe(describeEvent(failedEvent()));
    expect(summary(recoveredEvent())).toBe('succeeded after 2 attempts in 1.2s (overloaded, waited 800ms)');
    expect(summary(cancelled)).toBe('cancelled after 3 attempts in 1.2s (2 × overloaded, waited 800ms)');
  });
});
