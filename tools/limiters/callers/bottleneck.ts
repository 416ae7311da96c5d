/** Bottleneck as a person configures it who knows the limit: evenly spaced, or so many at a time. */

import Bottleneck from 'bottleneck';
import type { KnownLimit } from '../../../bench/limiters/real/limiter.ts';
import type { Pacer } from '../../../bench/limiters/real/callers.ts';

export function pacer(limit: KnownLimit): Pacer {
  const limiter = new Bottleneck(
    'concurrent' in limit ? { maxConcurrent: limit.concurrent } : { minTime: Math.ceil(limit.perMs / limit.requests) },
  );
  return (work) => limiter.schedule(work);
}
