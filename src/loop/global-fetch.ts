/** The global fetch as the inner fetch of a wrapper that may itself become the global fetch. */

import type { Fetch } from '../transport.ts';

type Call = (inner: Fetch, input: Parameters<Fetch>[0], init: RequestInit | undefined) => Promise<Response>;

/** The wrappers of the global fetch. */
const wrappers = /* @__PURE__ */ new WeakSet<Fetch>();

/**
 * The global fetch, read at each call. If it is a wrapper of ours, or another library's function that calls one, the
 * fetch before it is used, because a wrapper must not call itself.
 */
export class GlobalFetch {
  #current = globalThis.fetch;
  #before = this.#current;
  #isCalling = false;
  readonly #callsWrapper = new WeakSet<Fetch>();

  /** A fetch that passes each call on with the inner fetch of that moment. */
  wrap(call: Call): Fetch {
    const wrapper: Fetch = (input, init) =>
      this.#isCalling ? this.#callBefore(input, init) : call(this.#read(), input, init);
    wrappers.add(wrapper);
    return wrapper;
  }

  #read(): Fetch {
    const { fetch } = globalThis;
    if (fetch !== this.#current && !wrappers.has(fetch) && !this.#callsWrapper.has(fetch)) {
      this.#before = this.#current;
      this.#current = fetch;
    }
    const inner = this.#current;
    return (...args) => {
      this.#isCalling = true;
      try {
        return inner(...args);
      } finally {
        this.#isCalling = false;
      }
    };
  }

  /** The global fetch has called the wrapper that is calling it. The call is retried further out. */
  #callBefore(input: Parameters<Fetch>[0], init: RequestInit | undefined): Promise<Response> {
    this.#callsWrapper.add(this.#current);
    this.#current = this.#before;
    return init === undefined ? this.#before(input) : this.#before(input, init);
  }
}
