/**
 * What a proxy tells the fetch that sends its requests. Symbols that every copy of this file shares, because
 * the proxy and the fetch are built apart.
 */

/** An option: how repeats of calls that were given up are known, without a header that says so. */
export const EQUAL_REQUESTS: unique symbol = /* @__PURE__ */ Symbol.for('retry-transport: equal requests');
/** A property of an init: the {@link HoldBudget} of the call. */
export const HOLD_BUDGET: unique symbol = /* @__PURE__ */ Symbol.for('retry-transport: the budget of held answers');

/** Limits the bytes of answers that all calls together hold. */
export interface HoldBudget {
  /** False if there is no room: then the answer is handed over as it comes. */
  readonly take: (bytes: number) => boolean;
  /** Called when an attempt has failed: what was taken for it is free again. */
  readonly giveBack: () => void;
}
