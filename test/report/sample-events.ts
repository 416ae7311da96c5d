/** Events as the retry loop would report them, and reports of them. Knows no test runner: child processes use it too. */

import type { AttemptRecord, Failure, FailureType, RetryEvent } from '../../src/index.ts';
import { createErrorReport, type ErrorReport, type FailedEvent, type StepContext } from '../../src/report/index.ts';

export const AT = 1_800_000_000_000;

/** Has the shape of a key, so nothing that we write may hold it. */
export const SECRET = 'sk-test-abcdefghijklmnopqrstuvwxyz0123456789';

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
    type: 'failed',
    requestId: 'request-1',
    method: 'POST',
    url: 'https://api.example.com/v1/messages',
    at: AT,
    attempts: 2,
    elapsedMs: 1_200,
    because: 'retries-exhausted',
    failure: failure(),
    history: [attempt(1), attempt(2, { delayMs: null, because: null })],
    ...extra,
  };
}

export function retryEvent(number: number, extra: Partial<Extract<RetryEvent, { type: 'retry' }>> = {}): RetryEvent {
  const { requestId, method, url, at } = failedEvent();
  const wait = { delayMs: 800, nextAttemptAt: at + 800, because: 'backoff' } as const;
  return {
    type: 'retry',
    requestId,
    method,
    url,
    at,
    attempt: number,
    maxRetries: 3,
    ...wait,
    failure: failure(),
    ...extra,
  };
}

export function recoveredEvent(
  extra: Partial<Extract<RetryEvent, { type: 'recovered' }>> = {},
): Extract<RetryEvent, { type: 'recovered' }> {
  const { requestId, method, url, at } = failedEvent();
  const history = [attempt(1), attempt(2, { failure: null, delayMs: null, because: null })];
  return { type: 'recovered', requestId, method, url, at, attempts: 2, elapsedMs: 1_200, history, ...extra };
}

export function report(
  requestId: string = 'request-1',
  extra: Partial<FailedEvent> = {},
  context: StepContext = {},
): ErrorReport {
  return createErrorReport(failedEvent({ requestId, ...extra }), context);
}
