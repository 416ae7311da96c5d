/** Why a call may not send its next attempt, found on the way to it. */

import type { StopReason } from '../failure/history.ts';

export interface Refusal {
  readonly because: StopReason;
  /** What a call rejects with that has no last answer to hand back. */
  readonly error: Error;
  /** When it may be otherwise, in milliseconds since the epoch; null: nobody knows. */
  readonly possibleAt: number | null;
}
