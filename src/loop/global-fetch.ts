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
 */
export function wrapOver(given: Fetch | undefined): Wrap {
  if (given !== undefined) return (call) => (input, init) => call(given, input, init);
  let current = globalThis.fetch;
  let before = current;
  let isCalling = false;
  /** Functions of other libraries that were found to call the wrapper. */
  const callers = new WeakSet<Fetch>();
  return (call) => {
    const wrapper: Fetch = (input, init) => {
      if (isCalling) {
        // The global fetch has called the wrapper that is calling it, so this call is retried further out.
        callers.add(current);
        current = before;
        return init === undefined ? before(input) : before(input, init);
      }
      const { fetch } = globalThis;
      if (fetch !== current && !callers.has(fetch) && !Object.hasOwn(fetch, WRAPPER))
        [before, current] = [current, fetch];
      const inner = current;
      const guarded: Fetch = (...args) => {
        isCalling = true;
        try {
          return inner(...args);
        } finally {
          isCalling = false;
        }
      };
      return call(guarded, input, init);
    };
    return Object.defineProperty(wrapper, WRAPPER, { value: true });
  };
}
