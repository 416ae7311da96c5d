/**
 * The retries of a controller as a store for any user interface: one frozen state, which changes with the events. It has
 * no timer; `watchRetry` counts the seconds down.
 */

import type { Failure } from '../failure/failure.ts';
import type { WaitReason } from '../failure/reasons.ts';
import type { RetryController } from './controller.ts';
import type { RetryEvent } from './events.ts';

/** A call that waits, or whose attempt after a wait was sent. */
export interface PendingRetry {
  readonly status: 'waiting' | 'sending';
  /** The retry that is next or was sent, from 1; 0 while a first attempt waits in line. */
  readonly retry: number;
  /** null: without a limit. */
  readonly maxRetries: number | null;
  /** What went wrong last; undefined while a first attempt waits. */
  readonly failure: Failure | undefined;
  readonly because: WaitReason;
  readonly delayMs: number;
  readonly nextAttemptAt: number;
  /** When this state began, in milliseconds since the epoch. */
  readonly at: number;
}
type Final = Extract<RetryEvent, { readonly type: 'recovered' | 'failed' | 'cancelled' }>;

/**
 * What a view can show: nothing (`idle`), a wait or the attempt after it (`waiting`, `sending`), or how the last call
 * ended (`ended`, with the members of its last event).
 */
export type RetryState = { readonly status: 'idle' } | PendingRetry | ({ readonly status: 'ended' } & Final);

/** The state of the retries, in the shape that `useSyncExternalStore` and the stores of other frameworks take. */
export interface RetryStore {
  /** Calls the listener after each change. The returned function unsubscribes it. */
  readonly subscribe: (listener: () => void) => () => void;
  /**
   * The same frozen object until something changes. If several calls wait, the state is that of the call whose next
   * attempt comes first.
   */
  readonly getSnapshot: () => RetryState;
  /** Forgets how the last call ended. Call it before the next one. */
  readonly clear: () => void;
  /** Stops following the controller; the state stays as it is. */
  readonly close: () => void;
}

const IDLE: RetryState = Object.freeze({ status: 'idle' });

/**
 * Creates a store that follows a controller from now on. Create both at the same time, so that the store misses no
 * event.
 *
 * @example const store = createRetryStore(controller); store.subscribe(() => draw(store.getSnapshot()));
 */
export function createRetryStore(controller: RetryController): RetryStore {
  const listeners = new Set<() => void>();
  const pending = new Map<string, PendingRetry>();
  let [ended, snapshot] = [IDLE, IDLE];

  function update(): void {
    const [first = ended] = [...pending.values()].sort((a, b) => a.nextAttemptAt - b.nextAttemptAt);
    if (first === snapshot) return;
    snapshot = first;
    for (const listener of [...listeners]) listener();
  }

  const close = controller.subscribe((event) => {
    const before = pending.get(event.requestId);
    switch (event.type) {
      case 'retry':
      case 'delayed': {
        const { type, at, because, delayMs, nextAttemptAt } = event;
        // A `delayed` names the attempt that is to be sent, and keeps what is known of the failure.
        const retry = type === 'retry' ? event.attempt : event.attempt - 1;
        const { maxRetries = null, failure } = type === 'retry' ? event : (before ?? {});
        // A move to another target waits for nothing.
        const status = delayMs === 0 ? 'sending' : 'waiting';
        const waiting = { status, retry, maxRetries, failure, because, delayMs, nextAttemptAt, at } as const;
        pending.set(event.requestId, Object.freeze(waiting));
        break;
      }
      case 'attempt':
        // The success of a first attempt has no event: it is not retried, so it is not shown.
        if (before === undefined || event.attempt === 1) pending.delete(event.requestId);
        else pending.set(event.requestId, Object.freeze({ ...before, status: 'sending', at: event.at }));
        break;
      case 'fallback':
      case 'broken':
        return;
      case 'recovered':
      case 'failed':
      case 'cancelled':
        pending.delete(event.requestId);
        ended = Object.freeze({ ...event, status: 'ended' });
    }
    update();
  });

  return {
    subscribe: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    getSnapshot: () => snapshot,
    clear: () => {
      ended = IDLE;
      update();
    },
    close,
  };
}
