/** The error of a call whose first attempt was never sent, so that there is no response and no error to return. */

import type { Failure } from '../failure/failure.ts';
import { formatDelay } from '../failure/format-delay.ts';
import type { StopReason } from '../failure/reasons.ts';

/** Thrown if the gate did not let the first attempt through, or `controller.giveUp()` ended its wait. */
export class GateRefusedError extends Error {
  override readonly name = 'GateRefusedError';
  /** Why the call ended. */
  readonly because: StopReason;
  /** When the request may be sent, in milliseconds since the epoch; null: unknown. */
  readonly possibleAt: number | null;

  /** `key`: the key of the limit in the gate. `waitMs`: how long the gate would make the call wait; 0: unknown. `why`: a sentence. */
  constructor(key: string, because: StopReason, waitMs: number, nowMs: number, why: string) {
    const when = waitMs > 0 ? ` Possible in ${formatDelay(waitMs)}.` : '';
    super(`Not sent to ${key}: ${why}${when}`);
    this.because = because;
    this.possibleAt = waitMs > 0 ? nowMs + waitMs : null;
  }
}

/** Adds the failure that made every target rest, by which the error is classified. */
export function withReason(error: Error, failure: Partial<Failure> | undefined): Error {
  if (failure?.message === undefined) return error;
  const { status } = failure;
  return Object.assign(error, { failure, ...(status !== undefined && { status }) });
}
