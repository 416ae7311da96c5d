/**
 * The policy for many callers of one limit: full jitter, so that a fleet that failed together does not come back
 * together; a retry budget, so that an outage stays as large as it is; and a cooldown that everybody shares.
 */

import type { RetryConfig } from './config.ts';
import { createGate } from '../gate/create-gate.ts';
import type { Gate } from '../gate/gate.ts';
import type { GateOptions } from '../gate/gate-options.ts';

/** What may be said of a fleet: everything that may be said of its gate. */
export type FleetOptions = GateOptions;

/**
 * Full jitter between nothing and 0.5 s, 1 s, 2 s … 20 s, at most three retries, a budget of 5 + 0.1 per success, and the
 * shared cooldown with spread release. Each call of this function makes a gate of its own: call it once per process and
 * give the result to everything that shares the limit; with a `store`, once in each process of the fleet.
 *
 * @throws TypeError naming the option
 */
export function fleet(options: FleetOptions = {}): RetryConfig & { readonly gate: Gate } {
  return Object.freeze({
    maxRetries: 3,
    baseDelayMs: 500,
    maxDelayMs: 20_000,
    backoffMultiplier: 2,
    jitter: 'full' as const,
    // Spreading those who wait for the same hint is the gate's business: only it knows how many they are.
    jitterFactor: 0,
    // The cooldown holds everybody for as long as the server says, so the call that was told may wait as long.
    maxRetryAfterMs: 60_000,
    gate: createGate({ ...options, announced: options.announced ?? true }),
  });
}
