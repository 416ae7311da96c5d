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

  /** `key`: the key of the limit in the gate. `waitMs`: how long the gate would make the call wait; 0: unknown. `why`: a sentence. */
  constructor(key: string, because: GateRefusedReason, waitMs: number, nowMs: number, why: string) {
    const when = waitMs > 0 ? ` Possible in ${formatDelay(waitMs)}.` : '';
    super(`Not sent to ${key}: ${why}${when}`);
    this.because = because;
    this.possibleAt = waitMs > 0 ? nowMs + waitMs : null;
  }
}
