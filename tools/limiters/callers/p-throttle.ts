/** p-throttle as a person configures it who knows the limit: no more in any window of that length. */

import pThrottle from 'p-throttle';
import { SERVICE_MS, type KnownLimit } from '../../../bench/limiters/real/limiter.ts';
import type { Pacer } from '../../../bench/limiters/real/callers.ts';

export function pacer(limit: KnownLimit): Pacer {
  // It knows no limit on calls at a time: what such a limit lets through in a second is the nearest that it can keep.
  const throttle =
    'concurrent' in limit
      ? pThrottle({ limit: limit.concurrent, interval: SERVICE_MS, strict: true })
      : pThrottle({ limit: limit.requests, interval: limit.perMs, strict: true });
  return throttle(<T>(work: () => Promise<T>): Promise<T> => work()) as Pacer;
}
