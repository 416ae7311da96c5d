/** The state of the retries in a React component. Create the controller outside of the component, one for all calls. */

import { useSyncExternalStore } from 'react';
import type { RetryController } from 'retry-transport';
import { createRetryStore, type RetryState, type RetryStore } from './retry-store.ts';

const stores = new WeakMap<RetryController, RetryStore>();

/** The store of a controller, shared by all components. */
export function retryStoreOf(controller: RetryController): RetryStore {
  const store = stores.get(controller) ?? createRetryStore(controller);
  stores.set(controller, store);
  return store;
}

export function useRetryState(controller: RetryController): RetryState {
  const { subscribe, getSnapshot } = retryStoreOf(controller);
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}
