/** The error of a call whose first attempt was never sent, so that there is no response and no error to return. */

import type { GateRefusal } from './gate-event.ts';
import { formatDelay } from '../failure/format-delay.ts';

/**
 * `cooldown-too-long`: the call would have to wait longer than its limits allow. `given-up`: `controller.giveUp()` ended
 * its wait.
 */
export type GateRefusedReason = GateRefusal | 'cooldown-too-long' | 'given-up';

/** Thrown if the gate did not let the first attempt through. */
export class GateRefusedError extends Error {
  override readonly name = 'GateRefusedError';
  /** Why the gate refused. */
  readonly because: GateRefusedReason;
  /** When the request may be sent, in milliseconds since the epoch; null: unknown. */
  readonly possibleAt: number | null;

  /** `key`: the key of the limit in the gate. `waitMs`: how long the gate would make the call wait; 0: unknown. */
  constructor(key: string, because: GateRefusedReason, waitMs: number, nowMs: number) {
    const when = waitMs > 0 ? ` Possible in ${formatDelay(waitMs)}.` : '';
    super(`Not sent to ${key}: ${EXPLANATIONS[because]}${when}`);
    this.because = because;
    this.possibleAt = waitMs > 0 ? nowMs + waitMs : null;
  }
}

const EXPLANATIONS: Readonly<Record<GateRefusedReason, string>> = {
  'circuit-open': 'too many failures have opened the circuit. Try again later, or ask another target.',
  'cooldown-too-long':
    'its turn comes later than this call may wait. Try again later, or raise maxElapsedMs or maxRetryAfterMs.',
  'given-up': 'it was given up while it waited in line.',
  'too-many-waiting': 'the line is full. Send fewer at a time, or raise maxWaiting.',
  'waits-for-itself':
    'it was made from within a call that holds the last slot of `limits.concurrent`. Allow more at a time, or make it without the gate.',
  'retry-budget-empty': 'too many calls failed for another retry. Try again later.',
};
