/** The body behind a failure. */

import type { Failure } from './failure.ts';

const bodies = /* @__PURE__ */ new WeakMap<Failure, string>();

/** The body behind the failure of an event: at most 2 KiB, with secrets masked. undefined if there was none. */
export function failureBody(failure: Failure): string | undefined {
  return bodies.get(failure);
}

/** Stores the body behind a failure for as long as the failure is in use. */
export function rememberBody(failure: Failure, body: string): void {
  bodies.set(failure, body);
}
