/** What a user interface shows of the retries: one frozen state, which changes with the events. It has no timer. */

import type { Failure } from '../failure/failure.ts';
import type { WaitReason } from '../failure/reasons.ts';
import type { CallOutcome, RetryEvent } from './events.ts';

/** A call that waits, or whose attempt after a wait was sent. */
export interface PendingRetry {
  /** `sending`: the wait is over. */
  readonly status: 'waiting' | 'sending';
  /** The retry that is next or was sent, from 1; 0 while a first attempt waits. */
  readonly retry: number;
  /** null: without a limit. */
  readonly maxRetries: number | null;
  /** What went wrong last; undefined while a first attempt waits. */
  readonly failure: Failure | undefined;
  /** What decides the wait. */
  readonly because: WaitReason;
  /** The wait, in milliseconds. */
  readonly delayMs: number;
  /** When it ends. Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
  /** When this state began, in milliseconds since the epoch. */
  readonly at: number;
}

/** Nothing (`idle`), a wait or the attempt after it (`waiting`, `sending`), or how the last call ended (`ended`). */
export type RetryState =
  | { readonly status: 'idle' }
  | PendingRetry
  | { readonly status: 'ended'; readonly outcome: CallOutcome };

const IDLE: RetryState = /* @__PURE__ */ Object.freeze({ status: 'idle' });

/** The calls of a controller. */
export class StateOfCalls {
  readonly #pending = new Map<string, PendingRetry>();
  #ended: RetryState = IDLE;
  current: RetryState = IDLE;

  /** Whether the state has changed. */
  hear(event: RetryEvent): boolean {
    const { callId } = event;
    const before = this.#pending.get(callId);
    switch (event.type) {
      case 'retry':
      case 'delayed': {
        const { at, because, delayMs, nextAttemptAt } = event;
        // A `delayed` names the attempt that is to be sent, and keeps what is known of the failure.
        const retry = event.type === 'retry' ? event.retry : event.attempt - 1;
        const { maxRetries = null, failure } = event.type === 'retry' ? event : (before ?? {});
        // A move to another target waits for nothing.
        const status = delayMs === 0 ? 'sending' : 'waiting';
        const waiting = { status, retry, maxRetries, failure, because, delayMs, nextAttemptAt, at } as const;
        this.#pending.set(callId, Object.freeze(waiting));
        break;
      }
      case 'attempt':
        // The success of a first attempt has no event: it is not retried, so it is not shown.
        if (before === undefined || event.attempt === 1) this.#pending.delete(callId);
        else this.#pending.set(callId, Object.freeze({ ...before, status: 'sending', at: event.at }));
        break;
      case 'fallback':
      case 'broken':
        return false;
      case 'recovered':
      case 'failed':
      case 'cancelled':
        this.#pending.delete(callId);
        this.#ended = Object.freeze({ status: 'ended', outcome: event });
    }
    return this.#update();
  }

  /** Forgets how the last call ended. */
  clear(): boolean {
    this.#ended = IDLE;
    return this.#update();
  }

  #update(): boolean {
    const [first = this.#ended] = [...this.#pending.values()].sort((a, b) => a.nextAttemptAt - b.nextAttemptAt);
    if (first === this.current) return false;
    this.current = first;
    return true;
  }
}
