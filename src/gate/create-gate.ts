/** `createGate`: the parts of a gate put together. */

import type { Gate } from './gate.ts';
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
    keyOf,
    session: (request, { runtime, priority, gateKey }) =>
      new Session(limits, gateKey ?? keyOf(request), request, priority === 'batch', runtime),
    get waiting() {
      return limits.waiting;
    },
    readings: (nowMs = systemRuntime.monotonic()) => limits.readings(nowMs),
  };
}
