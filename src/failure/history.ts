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
  readonly because: WaitReason | null;
  /** The fallback target, if there is a chain. */
  readonly target?: string;
}

const histories = /* @__PURE__ */ new WeakMap<object, readonly AttemptRecord[]>();

/** The attempts behind a response or error that this library returned or threw; `[]` for any other object. */
export function retryHistory(outcome: object): readonly AttemptRecord[] {
  return histories.get(outcome) ?? [];
}

/**
 * Stores the attempts behind a response or error that the caller gets. The reason of a signal may end several calls; one
 * that had not begun leaves the attempts of an earlier one in place.
 */
export function rememberHistory(outcome: unknown, history: readonly AttemptRecord[]): void {
  const isKey = (typeof outcome === 'object' && outcome !== null) || typeof outcome === 'function';
  if (isKey && (history.length > 0 || !histories.has(outcome))) histories.set(outcome, history);
}
