/**
 * Events as the retry loop would report them: the one place to change when an event gets a new member. Knows no test
 * runner: child processes use it too.
 */

import type { AttemptRecord, Failure, FailureType, RetryEvent } from '../src/index.ts';
import type { FailedEvent } from '../src/report/index.ts';

export type EventOf<T extends RetryEvent['type']> = Extract<RetryEvent, { readonly type: T }>;

export const AT = 1_800_000_000_000;

const CALL = { callId: 'request-1', method: 'POST', url: 'https://api.example.com/v1/messages', at: AT } as const;

export function failure(type: FailureType = 'overloaded', extra: Partial<Failure> = {}): Failure {
  return {
    type,
    retryable: true,
    category: 'retryable',
    status: 503,
    message: 'Overloaded',
    phase: 'response',
    ...extra,
  };
}

export function attempt(number: number, extra: Partial<AttemptRecord> = {}): AttemptRecord {
  const startedAt = AT + number * 1_000;
  return {
    attempt: number,
    startedAt,
    durationMs: 200,
    failure: failure(),
    delayMs: 800,
    because: 'backoff',
    ...extra,
  };
}

/** Two attempts, the second the last. */
export function failedEvent(extra: Partial<FailedEvent> = {}): FailedEvent {
  return {
    ...CALL,
    type: 'failed',
    attempts: 2,
    elapsedMs: 1_200,
    because: 'retries-exhausted',
    failure: failure(),
    history: [attempt(1), attempt(2, { delayMs: null, because: null })],
    ...extra,
  };
}

export function retryEvent(number: number, extra: Partial<EventOf<'retry'>> = {}): EventOf<'retry'> {
  const { at = AT, delayMs = 800 } = extra;
  const wait = { delayMs, nextAttemptAt: at + delayMs, because: 'backoff' } as const;
  return { ...CALL, type: 'retry', retry: number, maxRetries: 3, ...wait, failure: failure(), ...extra };
}

export function recoveredEvent(extra: Partial<EventOf<'recovered'>> = {}): EventOf<'recovered'> {
  const history = [attempt(1), attempt(2, { failure: null, delayMs: null, because: null })];
  return { ...CALL, type: 'recovered', attempts: 2, elapsedMs: 1_200, history, ...extra };
}
