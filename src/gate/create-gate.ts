/**
 * The gate: what many callers of one limit have in common.
 *
 * A limit belongs to a key, not to a call. A call that is refused learns what a hundred others will learn by being refused
 * too, and each of them repeats its request as if it were alone: a server with too many requests gets even more. A gate
 * lets the calls share what each of them saw; `limit.ts` says how.
 *
 * It promises to be harmless first: under every ordinary limiter it serves what plain retries serve, as fast, with fewer
 * refusals. It is open until refusals are more than an accident that a retry mends, and it steps aside where waiting does
 * not help.
 *
 * Every call has a session per target: it asks when an attempt could be sent, takes the slot right before it sends, and
 * reports what the attempt ended in. The gate sends nothing, and has no timer and no clock of its own: each method gets
 * the time of `runtime.monotonic`.
 */

import { openRoute } from '../route/call-route.ts';
import type { Gate } from '../route/route.ts';
import { type GateOptions, resolveGateOptions } from './gate-options.ts';
import { systemRuntime } from '../runtime.ts';
import { createKeyOf } from './key.ts';
import { KeyedLimits } from './keyed-limits.ts';
import { Session } from './session.ts';

/** Makes a gate. Give the same one to all calls that share a limit. @throws TypeError if an option is invalid */
export function createGate(options: GateOptions = {}): Gate {
  const settings = resolveGateOptions(options);
  const keyOf = createKeyOf(options.key);
  const limits = new KeyedLimits(settings);
  return {
    openRoute,
    keyOf,
    session: (request, call) => new Session(limits, call.gateKey ?? keyOf(request), request, call),
    get waiting() {
      return limits.waiting;
    },
    readings: (nowMs = systemRuntime.monotonic()) => limits.readings(nowMs),
  };
}
