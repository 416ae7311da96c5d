/**
 * Two event vocabularies that agents and their user interfaces already speak, made from our events: one announces each
 * retry of a turn, the other opens and closes a chain of retries. Neither belongs into a conversation's history.
 */

import type { RetryEvent } from './events.ts';
import type { Failure } from '../failure/failure.ts';
import { failureBody } from '../failure/http-status-error.ts';

/** Emitted before each wait of a turn. */
export interface ProviderRetryEvent {
  readonly type: 'provider-retry';
  readonly conversationId: string;
  readonly turnId: string;
  /** The retry that is about to happen, from 0. */
  readonly attempt: number;
  readonly delayMs: number;
  /** The endpoint's error in its own words: `HTTP 429: {…the body…}`, at most 2 KiB of it, scrubbed. */
  readonly message: string;
  /** The failed HTTP status as text; absent where there was none. */
  readonly code?: string;
}

/** Emitted before each wait of a chain. */
export interface AutoRetryStartEvent {
  readonly type: 'auto_retry_start';
  /** The retry that is about to happen, from 1. */
  readonly attempt: number;
  /** Retries, not attempts; null where nothing limits them. */
  readonly maxAttempts: number | null;
  readonly delayMs: number;
  readonly errorMessage: string;
}

/** Emitted once for every chain that had a start. */
export interface AutoRetryEndEvent {
  readonly type: 'auto_retry_end';
  readonly success: boolean;
  /** The last retry made; 0 when none was. */
  readonly attempt: number;
  /** `Retry cancelled` when the caller gave up or aborted. Absent after a success. */
  readonly finalError?: string;
}

/** A listener for `onEvent` that emits a `provider-retry` before each wait, and nothing else. */
export function providerRetryEvents(
  turn: { readonly conversationId: string; readonly turnId: string },
  emit: (event: ProviderRetryEvent) => void,
): (event: RetryEvent) => void {
  const { conversationId, turnId } = turn;
  return (event) => {
    if (event.type !== 'retry') return;
    const { attempt, delayMs, failure } = event;
    const status = failedStatus(failure);
    emit({
      type: 'provider-retry',
      conversationId,
      turnId,
      attempt: attempt - 1,
      delayMs,
      message: wordsOf(failure),
      ...(status === undefined ? {} : { code: String(status) }),
    });
  };
}

/**
 * A listener for `onEvent` that emits an `auto_retry_start` before each wait, and one `auto_retry_end` when a call that
 * had a start is over. It may listen to many calls at once.
 */
export function autoRetryEvents(
  emit: (event: AutoRetryStartEvent | AutoRetryEndEvent) => void,
): (event: RetryEvent) => void {
  const started = new Set<string>();
  return (event) => {
    if (event.type === 'fallback' || event.type === 'delayed' || event.type === 'attempt') return;
    if (event.type === 'retry') {
      const { requestId, attempt, maxRetries: maxAttempts, delayMs, failure } = event;
      started.add(requestId);
      emit({ type: 'auto_retry_start', attempt, maxAttempts, delayMs, errorMessage: wordsOf(failure) });
      return;
    }
    if (!started.delete(event.requestId)) return;
    const attempt = event.attempts - 1;
    if (event.type === 'recovered') emit({ type: 'auto_retry_end', success: true, attempt });
    else emit({ type: 'auto_retry_end', success: false, attempt, finalError: finalErrorOf(event) });
  };
}

function finalErrorOf(event: Extract<RetryEvent, { type: 'failed' | 'cancelled' }>): string {
  if (event.type === 'cancelled' || event.because === 'given-up') return 'Retry cancelled';
  return wordsOf(event.failure);
}

/** The endpoint's error in its own words: the body where there was one. */
function wordsOf(failure: Failure): string {
  const words = failureBody(failure) ?? failure.message;
  const status = failedStatus(failure);
  if (status === undefined) return words;
  const head = `HTTP ${status}`;
  return words === '' || words === head ? head : `${head}: ${words}`;
}

/** An error that came inside a 200 has failed in words only. */
function failedStatus({ status }: Failure): number | undefined {
  return status !== undefined && status >= 400 ? status : undefined;
}
