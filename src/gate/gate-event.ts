/** The events of a gate, for logs and metrics. */

import type { FailureType } from '../failure/failure.ts';
import type { StopReason } from '../failure/reasons.ts';

/** The state of a circuit breaker. */
export type CircuitPhase = 'closed' | 'open' | 'half-open';

/** Why an attempt or a retry is refused. */
export type GateRefusal = 'retry-budget-empty' | 'circuit-open' | 'too-many-waiting' | 'waits-for-itself';

/** A request that holds a slot of `limits.concurrent`. */
export interface SlotHolder {
  /** Without query and credentials. */
  readonly url: string;
  readonly heldMs: number;
  /**
   * `sending`: there is no response yet. `reading`: the caller waits for the rest of its body. `unread`: the caller has
   * the response, and does not read its body; after a minute the slot is free for others.
   */
  readonly state: 'sending' | 'reading' | 'unread';
}

/**
 * An event of a gate; `at` is by the gate's clock, `runtime.monotonic`. `cooldown`: no request gets through, so all
 * calls are held, for an estimated `holdMs`. `held`, `released`: a call began to wait, or no longer waits. `refused`: a call or a
 * retry was refused. `slots-held`: a call has waited for 30 s for a slot of `limits.concurrent`, and these requests hold
 * them. `circuit`: the circuit breaker changed its state. `store-unreachable`: until `store-reachable`
 * this process uses only its own knowledge.
 */
export type GateEvent = { readonly at: number } & (
  | { readonly type: 'cooldown'; readonly key: string; readonly holdMs: number; readonly failure: FailureType }
  | { readonly type: 'held'; readonly key: string; readonly waitMs: number; readonly waiting: number }
  | { readonly type: 'released'; readonly key: string; readonly heldMs: number; readonly waiting: number }
  | { readonly type: 'refused'; readonly key: string; readonly because: StopReason }
  | { readonly type: 'slots-held'; readonly key: string; readonly holders: readonly SlotHolder[] }
  | { readonly type: 'circuit'; readonly key: string; readonly phase: CircuitPhase }
  | { readonly type: 'store-unreachable'; readonly reason: 'timeout' | 'error'; readonly message: string }
  | { readonly type: 'store-reachable'; readonly afterMs: number }
);
