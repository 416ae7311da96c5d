/** Events as a call of the demonstration reports them. */

import type { AttemptRecord, Failure, FailureType } from '../../src/index.ts';
import * as sample from '../sample-events.ts';
import type { EventOf } from '../sample-events.ts';

export const START = Date.UTC(2026, 10, 20, 12, 0, 0);

const BASE = { callId: 'r1', method: 'POST', url: 'http://127.0.0.1/v1/messages', at: START } as const;

export function failureOf(type: FailureType, more: Partial<Failure> = {}): Failure {
  const { status: _, ...failure } = sample.failure(type);
  return { ...failure, message: 'said so', ...more };
}

export const OVERLOADED: Failure = failureOf('overloaded', { status: 429, code: 'overloaded_error' });
const RESET: Failure = failureOf('connection_error', { code: 'ECONNRESET', phase: 'connect' });
export const QUOTA: Failure = failureOf('quota_exhausted', {
  status: 429,
  code: 'insufficient_quota',
  retryable: false,
  category: 'non-retryable',
});

/** Attempts of 10 ms each, with a wait after all but the last; null is the success. */
function historyOf(...steps: readonly (readonly [Failure | null, number])[]): AttemptRecord[] {
  let startedAt = START;
  return steps.map(([failure, delayMs], index) => {
    const wait = failure === null ? { delayMs: null, because: null } : { delayMs };
    const record = sample.attempt(index + 1, { startedAt, durationMs: 10, failure, ...wait });
    startedAt += 10 + delayMs;
    return record;
  });
}

export function retryEvent(more: Partial<EventOf<'retry'>> = {}): EventOf<'retry'> {
  return sample.retryEvent(1, { ...BASE, delayMs: 5_000, failure: OVERLOADED, ...more });
}

export function recoveredEvent(more: Partial<EventOf<'recovered'>> = {}): EventOf<'recovered'> {
  const history = historyOf(
    [OVERLOADED, 500],
    [failureOf('overloaded', { status: 502 }), 400],
    [RESET, 300],
    [null, 0],
  );
  return sample.recoveredEvent({ ...BASE, attempts: 4, elapsedMs: 1_240, history, ...more });
}

export function failedEvent(more: Partial<EventOf<'failed'>> = {}): EventOf<'failed'> {
  const history = historyOf([QUOTA, 0]);
  return sample.failedEvent({
    ...BASE,
    attempts: 1,
    elapsedMs: 10,
    because: 'not-retryable',
    failure: QUOTA,
    history,
    ...more,
  });
}

export function cancelledEvent(attempts: number): EventOf<'cancelled'> {
  return { ...BASE, type: 'cancelled', attempts, elapsedMs: 10, history: [] };
}

export function fallbackEvent(): EventOf<'fallback'> {
  return { ...BASE, type: 'fallback', from: 'sonnet', to: 'haiku', failure: OVERLOADED };
}
