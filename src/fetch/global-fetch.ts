/** The inner fetch of a wrapper. Without one it is the global fetch, which the wrapper itself may become. */

import type { Fetch } from '../transport.ts';

type Call = (inner: Fetch, input: Parameters<Fetch>[0], init: RequestInit | undefined) => Promise<Response>;

/** Makes a fetch that passes each call on with the inner fetch of that moment. */
export type Wrap = (call: Call) => Fetch;

/** Marks our wrappers of the global fetch, those of another copy of this package included. */
const WRAPPER = /* @__PURE__ */ Symbol.for('retry-transport:wraps-global-fetch');

/**
 * Wraps a fetch, or the global one, read at each call. If that is a wrapper of ours, or another library's function that
 * calls one, the fetch before it is used, because a wrapper must not call itself.
 *
 * @throws TypeError for anything else than a function
 */
export function wrapOver(given: Fetch | undefined): Wrap {
  if (given !== undefined && typeof given !== 'function') {
    throw new TypeError(
      'Expected `inner` to be a fetch function, or undefined for the global one: createRetryFetch(fetch, { … }).',
    );
  }
  if (given !== undefined) return (call) => (input, init) => call(given, input, init);
  let current = globalThis.fetch;
  let before = current;
  let nesting = synchronousNesting();
  /** Functions of other libraries that were found to call the wrapper. */
  const callers = new WeakSet<Fetch>();
  return (call) => {
    const wrapper: Fetch = (input, init) => {
      if (nesting.isWithin()) {
        // The global fetch has called the wrapper that is calling it, so this call is retried further out.
        callers.add(current);
        current = before;
        return init === undefined ? before(input) : before(input, init);
      }
      const { fetch } = globalThis;
      if (fetch !== current && !callers.has(fetch) && !Object.hasOwn(fetch, WRAPPER)) {
        [before, current] = [current, fetch];
        nesting = asynchronousNesting() ?? nesting;
      }
      const inner = current;
      return call((...args) => nesting.run(() => inner(...args)), input, init);
    };
    return Object.defineProperty(wrapper, WRAPPER, { value: true });
  };
}

/** Tells calls of the wrapper that are made within a call of the global fetch from all others. */
interface Nesting {
  run(call: () => Promise<Response>): Promise<Response>;
  isWithin(): boolean;
}

function synchronousNesting(): Nesting {
  let isWithin = false;
  return {
    isWithin: () => isWithin,
    run: (call) => {
      isWithin = true;
      try {
        return call();
      } finally {
        isWithin = false;
      }
    },
  };
}

/** What is used of an `AsyncLocalStorage`. */
interface AsyncContext {
  getStore(): true | undefined;
  run<T>(store: true, callback: () => T): T;
}

interface Runtime {
  readonly process?: {
    getBuiltinModule?(name: 'node:async_hooks'): { readonly AsyncLocalStorage: new () => AsyncContext } | undefined;
  };
}

/** undefined in browsers, which have nothing that follows a call through its promises. */
function asynchronousNesting(): Nesting | undefined {
  const hooks = (globalThis as Runtime).process?.getBuiltinModule?.('node:async_hooks');
  if (hooks === undefined) return undefined;
  const context = new hooks.AsyncLocalStorage();
  return { isWithin: () => context.getStore() === true, run: (call) => context.run(true, call) };
}
