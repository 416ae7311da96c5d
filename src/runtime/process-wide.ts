/**
 * What a program says once for all of its calls, those of other copies of this package included: `/debug` hears every
 * event, and `/mocks` turns waits off for a test run. Read only after something has failed, and for what is left out.
 */

export interface ProcessWide {
  /** Gets the events of every call. */
  onEvent?: ((event: object) => void) | undefined;
  /** Gets each request that `retryOnly` leaves out. */
  onLeftOut?: ((request: { readonly method: string; readonly url: string }) => void) | undefined;
  /** Every wait of the system's clock ends at once. */
  skipsWaits?: boolean | undefined;
}

const KEY = /* @__PURE__ */ Symbol.for('retry-transport:process-wide');

/** undefined until {@link changeProcessWide} was called. */
export function processWide(): Readonly<ProcessWide> | undefined {
  return (globalThis as { readonly [KEY]?: ProcessWide })[KEY];
}

/** Sets the members that are given. */
export function changeProcessWide(change: ProcessWide): void {
  Object.assign(((globalThis as { [KEY]?: ProcessWide })[KEY] ??= {}), change);
}
