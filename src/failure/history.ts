/** The history of a call: its attempts, and the wait after each. */

import type { Failure } from './failure.ts';
import type { WaitReason } from './reasons.ts';

/** One attempt and the wait after it. */
export interface AttemptRecord {
  /** From 1. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The time until the response head, the error, or the first content of a held stream. */
  readonly durationMs: number;
  /** null: a success. */
  readonly failure: Failure | null;
  /** The wait that was scheduled after the attempt; null if there was none. */
  readonly delayMs: number | null;
  /** What decided the wait; null if there was none. */
  readonly because: WaitReason | null;
  /** The fallback target, if there is a chain. */
  readonly target?: string;
  /** What was thrown, or what `errorIn` found. Of operations only. Not enumerable: no log and no JSON has it. */
  readonly error?: unknown;
}
