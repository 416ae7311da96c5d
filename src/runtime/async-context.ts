/** A value that follows a call through its promises, where the runtime can do that. */

/** What is used of an `AsyncLocalStorage`. */
export interface AsyncContext<T> {
  getStore(): T | undefined;
  run<R>(value: T, callback: () => R): R;
}

interface WithBuiltins {
  readonly process?: {
    getBuiltinModule?(
      name: 'node:async_hooks',
    ): { readonly AsyncLocalStorage: new () => AsyncContext<never> } | undefined;
  };
}

/** undefined in browsers, and in sandboxes that refuse the question. */
export function asyncContext<T>(): AsyncContext<T> | undefined {
  try {
    const hooks = (globalThis as WithBuiltins).process?.getBuiltinModule?.('node:async_hooks');
    return hooks === undefined ? undefined : new hooks.AsyncLocalStorage();
  } catch {
    return undefined;
  }
}
