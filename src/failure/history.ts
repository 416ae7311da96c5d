/** The history of a call: its attempts, the wait after each, and the reasons for waiting and for giving up. */

import type { Failure } from './failure.ts';

/** Why a call was given up. */
export type StopReason =
  | 'not-retryable'
  | 'retries-exhausted'
  | 'retry-after-too-long'
  | 'sleep-budget-exhausted'
  | 'deadline'
  | 'retry-budget-empty'
  | 'circuit-open'
  | 'body-not-replayable'
  | 'irreversible-operation'
  | 'server-said-no'
  | 'refused-by-caller'
  | 'given-up'
  | 'disabled';

/** What set the length of a wait. */
export type WaitReason = 'hint' | 'backoff' | 'fallback' | 'cooldown' | 'pace' | 'offline' | 'resume';

/** One attempt and the wait after it. */
export interface AttemptRecord {
  /** From 1. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Until the response head, the error, or the first content of a stream that was held. */
  readonly durationMs: number;
  /** null: a success. */
  readonly failure: Failure | null;
  /** The wait that was scheduled after it; null when none was. */
  readonly delayMs: number | null;
  readonly because: WaitReason | null;
  /** The fallback target that was asked, where there is a chain. */
  readonly target?: string;
}

const histories = /* @__PURE__ */ new WeakMap<object, readonly AttemptRecord[]>();

/** The attempts behind a response or error that this library returned or threw; `[]` for any other object. */
export function retryHistory(outcome: object): readonly AttemptRecord[] {
  return histories.get(outcome) ?? [];
}

/** Remembers the attempts behind what is handed to the caller. */
export function rememberHistory(outcome: unknown, history: readonly AttemptRecord[]): void {
  if ((typeof outcome === 'object' && outcome !== null) || typeof outcome === 'function')
    histories.set(outcome, history);
}
