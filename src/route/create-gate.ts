/**
 * The gate: the state that calls under the same limit share.
 *
 * A limit belongs to a key, not to a call. A refused call learns what a hundred other calls will learn by being refused
 * too, and a server with too many requests gets even more. With a gate the calls share what each of them has seen;
 * `limit.ts` describes how. Under every ordinary limiter it serves as much as plain retries, as fast, with fewer refusals.
 *
 * Each call has a session per target, which takes the turn right before an attempt is sent, and reports its outcome. The
 * gate sends nothing, and no timer makes a call wait: each method gets the time of `runtime.monotonic`.
 */

import type { Gate } from '../gate/gate.ts';
import { withSessions } from './open-route.ts';
import { type GateOptions, resolveGateOptions } from '../gate/gate-options.ts';
import { systemRuntime } from '../runtime/runtime.ts';
import { createKeyOf } from '../gate/key.ts';
import { KeyedLimits } from '../gate/keyed-limits.ts';
import { Session } from '../gate/session.ts';

/** Creates a gate. Pass the same gate to all calls that share a limit. @throws TypeError if an option is invalid */
export function createGate(options: GateOptions = {}): Gate {
  const settings = resolveGateOptions(options);
  const keyOf = createKeyOf(options.key);
  const limits = new KeyedLimits(settings);
  // What the user states counts all models together, unless the user has set a key.
  const statedKeyOf = options.key === undefined ? createKeyOf('credential') : keyOf;
  const gate = {
    keyOf,
    get waiting() {
      return limits.waiting;
    },
    readings: (nowMs = systemRuntime.monotonic()) => limits.readings(nowMs),
  };
  return withSessions(gate, (request, call) => {
    const { gateKey, runtime } = call;
    const { monotonic = systemRuntime.monotonic } = runtime;
    const stated = settings.limits === null ? null : limits.stated(gateKey ?? statedKeyOf(request), monotonic);
    return new Session(limits, gateKey ?? keyOf(request), request, call, stated);
  });
}
