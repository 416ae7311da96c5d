/**
 * The policy for many callers of one limit: full jitter, so that a fleet that failed together does not come back
 * together, and a gate that all of them share.
 */

import type { RetryConfig } from './config.ts';
import { createGate } from '../gate/create-gate.ts';
import type { Gate } from '../gate/gate.ts';
import type { GateOptions } from '../gate/gate-options.ts';

/** The options of a fleet are those of its gate. */
export type FleetOptions = GateOptions;

/**
 * Full jitter between nothing and 0.5 s, 1 s, 2 s … 20 s, at most three retries, and a gate that paces, holds and listens
 * to announced limits. Each call of this function makes a gate of its own: call it once per process and give the result
 * to all calls that share the limit; with a `store`, once in each process of the fleet.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function fleet(options: FleetOptions = {}): RetryConfig & { readonly gate: Gate } {
  return Object.freeze({
    maxRetries: 3,
    baseDelayMs: 500,
    maxDelayMs: 20_000,
    backoffMultiplier: 2,
    jitter: 'full' as const,
    // The gate spreads calls that were given the same hint: only it knows how many they are.
    jitterFactor: 0,
    // A hold lasts as long as the server says, so a call may wait as long.
    maxRetryAfterMs: 60_000,
    gate: createGate({ ...options, announced: options.announced ?? true }),
  });
}
