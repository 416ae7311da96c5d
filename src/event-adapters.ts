/**
 * `retry-transport/events`: adapters to two event formats that agents and their user interfaces already use: one event before each retry of a
 * turn, or one at the start and one at the end of the retries of a call. These events do not belong into the history of
 * a conversation.
 */

import { notify } from './events/events.ts';
import { expectFunction, expectObject } from './runtime/expect.ts';
import { type Failure, failureBody, type RetryEvent } from './index.ts';

/** Emitted before each wait of a turn. */
export interface ProviderRetryEvent {
  readonly type: 'provider-retry';
  readonly conversationId: string;
  readonly turnId: string;
  /** The retry that is about to happen, from 0. */
  readonly attempt: number;
  readonly delayMs: number;
  /** The error as the server sent it: `HTTP 429: {…the body…}`, at most 2 KiB, scrubbed. */
  readonly message: string;
  /** The failed HTTP status as text; absent without one. */
  readonly code?: string;
}

/** Emitted before each wait of a call. */
export interface AutoRetryStartEvent {
  readonly type: 'auto_retry_start';
  /** The retry that is about to happen, from 1. */
  readonly attempt: number;
  /** Retries, not attempts; null without a limit. */
  readonly maxAttempts: number | null;
  readonly delayMs: number;
  readonly errorMessage: string;
}

/** Emitted once for every call that had a start. */
export interface AutoRetryEndEvent {
  readonly type: 'auto_retry_end';
  readonly success: boolean;
  /** The number of the last retry; 0 if none was made. */
  readonly attempt: number;
  /** `Retry cancelled` when the caller gave up or aborted. Absent after a success. */
  readonly finalError?: string;
}

/**
 * A listener for `onEvent` that emits a `provider-retry` before each wait, and nothing else.
 *
 * @throws TypeError if an argument is invalid; the message names it
 */
export function providerRetryEvents(
  turn: { readonly conversationId: string; readonly turnId: string },
  emit: (event: ProviderRetryEvent) => void,
): (event: RetryEvent) => void {
  const { conversationId, turnId } = expectObject(
    'turn',
    turn,
    "an object such as { conversationId: 'c1', turnId: 't1' }",
  );
  expectFunction('emit', emit);
  return (event) => {
    if (event.type !== 'retry') return;
    const { delayMs, failure } = event;
    const [attempt, message] = [event.retry - 1, wordsOf(failure)];
    const status = failedStatus(failure);
    const code = status === undefined ? {} : { code: String(status) };
    notify(emit, { type: 'provider-retry', conversationId, turnId, attempt, delayMs, message, ...code });
  };
}

/**
 * A listener for `onEvent` that emits an `auto_retry_start` before each wait, and one `auto_retry_end` when a call that
 * had a start ends. It may be used for many calls at once.
 *
 * @throws TypeError if `emit` is not a function
 */
export function autoRetryEvents(
  emit: (event: AutoRetryStartEvent | AutoRetryEndEvent) => void,
): (event: RetryEvent) => void {
  expectFunction('emit', emit);
  const started = new Set<string>();
  return (event) => {
    if (event.type === 'retry') {
      const { callId, retry: attempt, maxRetries: maxAttempts, delayMs, failure } = event;
      started.add(callId);
      notify(emit, { type: 'auto_retry_start', attempt, maxAttempts, delayMs, errorMessage: wordsOf(failure) });
    } else if ('attempts' in event && event.type !== 'broken' && started.delete(event.callId)) {
      const attempt = event.attempts - 1;
      const how = event.type === 'recovered' ? { success: true } : { success: false, finalError: finalErrorOf(event) };
      notify(emit, { type: 'auto_retry_end', attempt, ...how });
    }
  };
}

function finalErrorOf(event: Extract<RetryEvent, { type: 'failed' | 'cancelled' }>): string {
  if (event.type === 'cancelled' || event.because === 'given-up') return 'Retry cancelled';
  return wordsOf(event.failure);
}

/** The error as the server sent it: the body, if there was one. */
function wordsOf(failure: Failure): string {
  const body = failureBody(failure);
  const words = body ?? failure.message;
  const status = failedStatus(failure);
  // The error that a stream reports has its status as the code, beside words of its own.
  if (status === undefined || (body === undefined && failure.code === String(status))) return words;
  const head = `HTTP ${status}`;
  // An error of a function may have the status in its words.
  if (words.startsWith(head) && !/^\w/.test(words.slice(head.length))) return words;
  return words === '' ? head : `${head}: ${words}`;
}

/** undefined for an error inside a 200. */
function failedStatus({ status }: Failure): number | undefined {
  return status !== undefined && status >= 400 ? status : undefined;
}
