/**
 * `retry-transport/react`: the state of the retries in a component, for React 18 and 19. Create the controller outside of
 * the component, one for all calls whose state is shown together.
 */

import { useSyncExternalStore } from 'react';
import {
  createRetryStore,
  type RetryController,
  type RetryCountdown,
  type RetryState,
  type RetryStore,
  watchRetry,
} from './index.ts';

export type { RetryCountdown, RetryState, RetryStore } from './index.ts';

/** What the components of one controller share. */
interface Shared {
  readonly store: RetryStore;
  readonly subscribe: (listener: () => void) => () => void;
  readonly getCountdown: () => RetryCountdown | null;
}

const SHARED = /* @__PURE__ */ Symbol('shared');

/** The store of a controller, shared by all components: for `clear()`, or to follow it outside of React. */
export function retryStoreOf(controller: RetryController): RetryStore {
  return share(controller).store;
}

/**
 * The state of the retries: idle, waiting, sending, or how the last call ended.
 *
 * @example const state = useRetryState(controller); // state.status === 'waiting' && state.failure
 */
export function useRetryState(controller: RetryController): RetryState {
  const { subscribe, getSnapshot } = retryStoreOf(controller);
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

/**
 * The wait in progress, counted down second by second; null if no call waits. Renders the component once a second.
 *
 * @example const wait = useRetryCountdown(controller); // <p role="timer">{wait?.text}</p>
 */
export function useRetryCountdown(controller: RetryController): RetryCountdown | null {
  const { subscribe, getCountdown } = share(controller);
  return useSyncExternalStore(subscribe, getCountdown, () => null);
}

function share(controller: RetryController): Shared {
  const known: Shared | undefined = Reflect.get(controller, SHARED);
  if (known !== undefined) return known;
  const store = createRetryStore(controller);
  const listeners = new Set<() => void>();
  let countdown: RetryCountdown | null = null;
  let stop: (() => void) | undefined;
  const shared: Shared = {
    store,
    getCountdown: () => countdown,
    subscribe: (listener) => {
      // The timer runs only while a component shows it.
      if (listeners.size === 0) {
        stop = watchRetry(store, (next) => {
          countdown = next;
          for (const each of Array.from(listeners)) each();
        });
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        countdown = null;
      };
    },
  };
  Reflect.defineProperty(controller, SHARED, { value: shared });
  return shared;
}
