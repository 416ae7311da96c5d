/** The inner fetch of a wrapper. Without one it is the global fetch, which the wrapper itself may become. */

import { type AsyncContext, asyncContext } from '../runtime/async-context.ts';
import type { Fetch, InnerFetch } from '../transport.ts';
import { sendTo } from './request-parts.ts';

type Call = (inner: Fetch, input: Parameters<Fetch>[0], init: RequestInit | undefined) => Promise<Response>;

/** Makes a fetch that passes each call on with the inner fetch of that moment, and has the properties of that fetch. */
export type Wrap = (call: Call) => Fetch;

/** Marks our wrappers of the global fetch, those of another copy of this package included. */
const WRAPPER = /* @__PURE__ */ Symbol.for('retry-transport:wraps-global-fetch');

/**
 * Wraps a fetch, or the global one, read at each call. The global fetch may have become a wrapper of ours, or a function
 * that calls one. A wrapper must not call itself, so a call from within its own call uses the fetch that was global
 * before.
 */
export function wrapOver(inner: InnerFetch | undefined): Wrap {
  const given = inner as Fetch | undefined;
  if (given === undefined) return wrapOverGlobal();
  return (call) =>
    withPropertiesOf(
      () => given,
      (input, init) => call(given, input, init),
    );
}

function wrapOverGlobal(): Wrap {
  let earlier: Fetch | undefined = globalThis.fetch;
  let outer: AsyncContext<OuterCall> | undefined;
  const current = (): Fetch => {
    const { fetch } = globalThis;
    // The program may have been started without a fetch.
    earlier ??= fetch;
    return typeof fetch === 'function' && Object.hasOwn(fetch, WRAPPER) ? earlier : fetch;
  };
  return (call) => {
    const wrapper: Fetch = (input, init) => {
      const inner = current();
      if (inner === earlier) return call(inner, input, init);
      const context = (outer ??= asyncContext() ?? synchronousContext());
      if (context.getStore()?.isOpen !== true)
        return call((...args) => callWithin(context, () => inner(...args)), input, init);
      // The global fetch calls this wrapper for itself, or passes its own call on, which is retried further out.
      return sendTo(earlier ?? inner, input, init);
    };
    return Object.defineProperty(withPropertiesOf(current, wrapper), WRAPPER, { value: true });
  };
}

/**
 * Gives a fetch the properties of its inner fetch, such as Bun's `preconnect`, as they are when they are read. Only the
 * prototype is a proxy, because calling one is slow.
 */
function withPropertiesOf(inner: () => Fetch | undefined, fetch: Fetch): Fetch {
  const prototype: object = Object.getPrototypeOf(fetch);
  const properties = new Proxy(Object.create(prototype), {
    get: (_own, name) => Reflect.get(inner() ?? prototype, name),
    has: (_own, name) => Reflect.has(inner() ?? prototype, name),
  });
  return Object.setPrototypeOf(fetch, properties);
}

/**
 * A call of the global fetch, which tells calls that are made within it from all others. Open until it is settled: what it
 * has started in the background makes calls of its own then.
 */
interface OuterCall {
  isOpen: boolean;
}

function callWithin(context: AsyncContext<OuterCall>, call: () => Promise<Response>): Promise<Response> {
  const outer = { isOpen: true };
  const close = (): void => void (outer.isOpen = false);
  const called = context.run(outer, call);
  Promise.resolve(called).then(close, close);
  return called;
}

/** For browsers, which have nothing that follows a call through its promises. */
function synchronousContext(): AsyncContext<OuterCall> {
  let outer: OuterCall | undefined;
  return {
    getStore: () => outer,
    run: (value, call) => {
      outer = value;
      try {
        return call();
      } finally {
        outer = undefined;
      }
    },
  };
}
