/** The inner fetch of a wrapper. Without one it is the global fetch, which the wrapper itself may become. */

import type { Fetch } from '../transport.ts';

type Call = (inner: Fetch, input: Parameters<Fetch>[0], init: RequestInit | undefined) => Promise<Response>;

/** Makes a fetch that passes each call on with the inner fetch of that moment. */
export type Wrap = (call: Call) => Fetch;

/** Our wrappers of the global fetch, and what was found to call one of them. */
const wrappers = /* @__PURE__ */ new WeakSet<Fetch>();

/**
 * Wraps a fetch, or the global one, read at each call. If that is a wrapper of ours, or another library's function that
 * calls one, the fetch before it is used, because a wrapper must not call itself.
 */
export function wrapOver(given: Fetch | undefined): Wrap {
  if (given !== undefined) return (call) => (input, init) => call(given, input, init);
  let current = globalThis.fetch;
  let before = current;
  let isCalling = false;
  return (call) => {
    const wrapper: Fetch = (input, init) => {
      if (isCalling) {
        // The global fetch has called the wrapper that is calling it, so this call is retried further out.
        wrappers.add(current);
        current = before;
        return init === undefined ? before(input) : before(input, init);
      }
      const { fetch } = globalThis;
      if (fetch !== current && !wrappers.has(fetch)) [before, current] = [current, fetch];
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
    wrappers.add(wrapper);
    return wrapper;
  };
}
