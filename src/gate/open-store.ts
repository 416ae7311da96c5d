/** What `redisStore` and `memoryStore` make, seen from the inside. A program that passes no store loads none. */

import type { opaque } from '../runtime/opaque.ts';
import { get } from '../runtime/values.ts';
import type { OpenStore } from './store.ts';

/** Made by `retry-transport/redis`. What it does inside is not part of the contract. */
export interface Store {
  readonly [opaque]: 'store';
}

const OPENED: unique symbol = /* @__PURE__ */ Symbol.for('retry-transport: a store');

/** Hides the way in from users. */
export function sealStore(store: OpenStore): Store {
  return Object.freeze(Object.defineProperty({}, OPENED, { value: store })) as Store;
}

/** Whether this library made it. */
export function isStore(store: unknown): store is Store {
  return get(store, OPENED) !== undefined;
}

export const openStore = (store: Store): OpenStore => (store as unknown as { readonly [OPENED]: OpenStore })[OPENED];
