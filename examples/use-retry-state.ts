/** The state of the retries in a React component; give it one controller for all calls, made outside of the component. */

import { useSyncExternalStore } from 'react';
import type { RetryController } from 'retry-transport';
import { createRetryStore, type RetryState, type RetryStore } from './retry-store.ts';

const stores = new WeakMap<RetryController, RetryStore>();

/** The store of a controller; every component shares it. */
export function retryStoreOf(controller: RetryController): RetryStore {
  const store = stores.get(controller) ?? createRetryStore(controller);
  stores.set(controller, store);
  return store;
}

export function useRetryState(controller: RetryController): RetryState {
  const { subscribe, getSnapshot } = retryStoreOf(controller);
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}
