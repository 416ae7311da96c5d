/** The retries as a store for any user interface. No timer: a countdown, `nextAttemptAt` minus now, is the view's. */

import type { RetryController, RetryEvent } from 'retry-transport';

type Heard<T extends RetryEvent['type']> = Extract<RetryEvent, { readonly type: T }>;
/** `asking`: the wait was ended by `retryNow`. One that ends by itself stays `waiting`, with `nextAttemptAt` in the past. */
type Pending = { readonly status: 'waiting' | 'asking' } & Heard<'retry'>;
/** Its `type` says how. */
type Ended = { readonly status: 'ended' } & Heard<'recovered' | 'failed' | 'cancelled'>;

export type RetryState = { readonly status: 'idle' } | Pending | Ended;

export interface RetryStore {
  readonly subscribe: (listener: () => void) => () => void;
  /** The same frozen object until something changes. Of many calls that wait, the one that is asked again first. */
  readonly getSnapshot: () => RetryState;
  readonly retryNow: () => void;
  /** Forgets how the last call ended, before the next one begins. */
  readonly clear: () => void;
}

const IDLE: RetryState = Object.freeze({ status: 'idle' });

/** One store for the whole life of a controller. */
export function createRetryStore(controller: RetryController): RetryStore {
  const listeners = new Set<() => void>();
  const pending = new Map<string, Pending>();
  let [ended, snapshot] = [IDLE, IDLE];

  const update = (): void => {
    const [first = ended] = [...pending.values()].sort((a, b) => a.nextAttemptAt - b.nextAttemptAt);
    if (first === snapshot) return;
    snapshot = first;
    for (const listener of [...listeners]) listener();
  };

  controller.subscribe((event) => {
    if (event.type === 'retry') pending.set(event.requestId, Object.freeze({ ...event, status: 'waiting' }));
    else if (event.type !== 'fallback') {
      pending.delete(event.requestId);
      ended = Object.freeze({ ...event, status: 'ended' });
    }
    update();
  });

  return {
    subscribe: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    getSnapshot: () => snapshot,
    retryNow: () => {
      for (const [id, call] of pending) pending.set(id, Object.freeze({ ...call, status: 'asking' }));
      update();
      controller.retryNow();
    },
    clear: () => {
      ended = IDLE;
      update();
    },
  };
}
