/** Turns the waits of the library off, for a test run that asks what a program does and not when. */

import { changeProcessWide } from '../src/runtime/process-wide.ts';

/**
 * Until the returned function is called, every wait of every call in this process ends at once: retries and their
 * events are as before, but take no time. A `runtime.sleep` of your own is not changed, and neither are time limits.
 *
 * ```ts
 * // vitest.setup.ts, which vitest.config.ts names in `setupFiles`
 * import { skipWaits } from 'retry-transport/mocks';
 *
 * skipWaits();
 * ```
 */
export function skipWaits(): () => void {
  changeProcessWide({ skipsWaits: true });
  return () => changeProcessWide({ skipsWaits: false });
}
