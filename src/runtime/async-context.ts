/** A value that follows a call through its promises, where the runtime can do that. */

/** What is used of an `AsyncLocalStorage`. */
export interface AsyncContext<T> {
  getStore(): T | undefined;
  run<R>(value: T, callback: () => R): R;
}

/** undefined in browsers, and in sandboxes that refuse the question. */
export function asyncContext<T>(): AsyncContext<T> | undefined {
  try {
    // The edge runtime of Next has it as a global, and throws when a member of `process` is read.
    const { AsyncLocalStorage } = globalThis as Globals;
    const Context = AsyncLocalStorage ?? builtinContext();
    return Context && new Context();
  } catch {
    return undefined;
  }
}

const builtinContext = (): AsyncContextClass | undefined =>
  (globalThis as Globals).process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage;

type AsyncContextClass = new () => AsyncContext<never>;

interface Globals {
  readonly AsyncLocalStorage?: AsyncContextClass;
  readonly process?: {
    getBuiltinModule?(name: 'node:async_hooks'): { readonly AsyncLocalStorage: AsyncContextClass } | undefined;
  };
}
