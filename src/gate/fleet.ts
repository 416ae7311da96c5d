/**
 * The policy for many callers of one limit: full jitter, so that clients which failed together do not retry together; a
 * retry budget, so that retries do not make an outage worse; and a pace and a hold that all calls share.
 */

import { expectObject, givenOptions } from '../runtime/expect.ts';
import { createGate } from './create-gate.ts';
import type { Gate } from './gate.ts';
import type { GateOptions } from './gate-options.ts';

/** The options of a fleet are those of its gate. */
export type FleetOptions = GateOptions;

/** The options that this preset sets. */
export interface FleetPolicy {
  readonly maxRetries: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly backoffMultiplier: number;
  readonly jitter: 'full';
  readonly jitterFactor: number;
  readonly maxRetryAfterMs: number;
  readonly gate: Gate;
}

/**
 * Full jitter of up to 0.5 s, 1 s, 2 s, … 20 s, sixteen retries, which outlast a minute of refusals, and a gate that paces,
 * holds and listens to announced limits.
 * Each call of this function makes a new gate: call it once per process and use the result for all calls under the
 * limit; with a `store`, once in each process of the fleet.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function fleet(options: FleetOptions = {}): FleetPolicy {
  const given = givenOptions(expectObject('options', options, 'an object such as { maxWaiting: 100 }'));
  return Object.freeze({
    maxRetries: 16,
    baseDelayMs: 500,
    maxDelayMs: 20_000,
    backoffMultiplier: 2,
    jitter: 'full',
    // The gate spreads calls that wait for the same hint, because only it knows how many there are.
    jitterFactor: 0,
    // Longer than `maxDelayMs`: the gate may hold all calls as long as the server asks.
    maxRetryAfterMs: 60_000,
    gate: createGate({ announced: true, ...given }),
  });
}
