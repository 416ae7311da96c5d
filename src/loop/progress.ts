/** An operation that has got further: what failed before is over. */

import type { Call } from './call.ts';
import { Counter } from './counter.ts';

/**
 * Ends the present chain of retries well, and makes the running attempt the first of a new one, with an id and counts of
 * its own. Only `maxElapsedMs` counts on. Returns when the new chain began.
 */
export function progress(call: Call<unknown>, startedAt: number): number {
  const { counter, route, policy } = call;
  const now = policy.runtime.now();
  route?.report(call.nowMs, { type: 'progress' });
  if (counter.attempts > 1) {
    call.record({ startedAt, endedAt: now }, null);
    call.emit({ type: 'recovered', ...call.summary });
    call.renew();
  }
  call.endRetrying?.();
  call.endRetrying = undefined;
  call.counter = new Counter(1, counter.earlierRetries + counter.attempts - 1);
  call.records.length = 0;
  call.chainStartedAt = now;
  return now;
}
