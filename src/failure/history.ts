/** The history of a call: its attempts, the wait after each, and the reasons for waiting and for giving up. */

import type { Failure } from './failure.ts';

/** Why a call was given up. {@link STOP_REASONS} has a sentence for each. */
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

/** Why a call was given up, in a sentence for a person. */
export const STOP_REASONS: Readonly<Record<StopReason, string>> = /* @__PURE__ */ Object.freeze({
  'not-retryable': 'A retry cannot help.',
  'retries-exhausted': 'No retries are left.',
  'retry-after-too-long': 'The server asks for a longer wait than is allowed.',
  'sleep-budget-exhausted': 'The time allowed for waiting is used up.',
  deadline: 'The next attempt would come after the deadline.',
  'retry-budget-empty': 'Too many requests are failing or waiting, so no more are sent for now.',
  'circuit-open': 'The service keeps failing, so no requests are sent for now.',
  'body-not-replayable': 'The request body is a stream and can be sent only once.',
  'irreversible-operation': 'The operation may have taken effect already, and doing it twice could do harm.',
  'server-said-no': 'The server says that a retry will not help.',
  'refused-by-caller': 'The program refused the retry.',
  'given-up': 'The wait was ended by hand.',
  disabled: 'Retries are switched off.',
});

/** What determined the length of a wait. */
export type WaitReason = 'hint' | 'backoff' | 'fallback' | 'cooldown' | 'pace';

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
  /** The wait that was scheduled after it; null if there was none. */
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
