/** The error of a call that was never sent: there is no response to hand back, and nothing failed but our own patience. */

import type { GateRefusal } from '../events/gate-event.ts';
import { formatDelay } from '../failure/format-delay.ts';

/** `cooldown-too-long`: the line opens later than the call may wait. `given-up`: a person did not want to wait. */
export type GateRefusedReason = GateRefusal | 'cooldown-too-long' | 'given-up';

/** Thrown for a first attempt that the gate did not let through. */
export class GateRefusedError extends Error {
  override readonly name = 'GateRefusedError';
  /** Why the gate refused. */
  readonly because: GateRefusedReason;
  /** The same as `because`. */
  readonly reason: GateRefusedReason;
  /** When the request may be sent, in milliseconds since the epoch; null: unknown. */
  readonly possibleAt: number | null;

  /** `key`: whose limit it is, as the gate names it. `waitMs`: as the gate answered. */
  constructor(key: string, because: GateRefusedReason, waitMs: number, nowMs: number) {
    const when = waitMs > 0 ? ` Possible in ${formatDelay(waitMs)}.` : '';
    super(`Not sent to ${key}: ${EXPLANATIONS[because]}${when}`);
    this.because = because;
    this.reason = because;
    this.possibleAt = waitMs > 0 ? nowMs + waitMs : null;
  }
}

const EXPLANATIONS: Readonly<Record<GateRefusedReason, string>> = {
  'circuit-open': 'too many failures have opened the circuit. Try again later, or ask another target.',
  'cooldown-too-long':
    'the server asked to be left alone longer than this call may wait. Try again later, or raise maxRetryAfterMs.',
  'given-up': 'it was given up while it waited in line.',
  'too-many-waiting': 'the line is full. Send fewer at a time, or raise maxWaiting.',
  'retry-budget-empty': 'too many calls failed for another retry. Try again later.',
};
