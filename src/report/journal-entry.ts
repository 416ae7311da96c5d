/** The entries of a journal, and how they are checked. */

import type { Failure, FailureType, StopReason, WaitReason } from '../index.ts';
import {
  amount,
  context,
  count,
  exactly,
  failure,
  failureType,
  instant,
  keyOf,
  list,
  object,
  orNull,
  type Read,
  type StepContext,
  stopReason,
  text,
  url,
  waitReason,
} from './stored-values.ts';

/** The fields of every entry. */
export interface JournalEntryBase {
  readonly version: 1;
  readonly callId: string;
  readonly method: string;
  /** Without query, fragment and credentials. */
  readonly url: string;
  /** When it was written, in milliseconds since the epoch. */
  readonly at: number;
  readonly context: StepContext;
}

/** One attempt, and the wait that was scheduled after it. */
export interface JournalAttempt extends JournalEntryBase {
  readonly kind: 'attempt';
  /** From 1. */
  readonly attempt: number;
  /** null: a success. */
  readonly failure: Failure | null;
  /** null: no attempt followed. */
  readonly delayMs: number | null;
  readonly because: WaitReason | null;
  /** When the next attempt was due. */
  readonly nextAttemptAt?: number;
  /** The target of a fallback chain. */
  readonly target?: string;
}

/** A change to another target. */
export interface JournalFallback extends JournalEntryBase {
  readonly kind: 'fallback';
  readonly from: string;
  readonly to: string;
  readonly failureType: FailureType;
}

/** When an attempt began and how long it took. */
export interface AttemptTiming {
  readonly attempt: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly target?: string;
}

/** How the call ended. */
export interface JournalOutcome extends JournalEntryBase {
  readonly kind: 'outcome';
  readonly outcome: 'succeeded' | 'failed' | 'cancelled';
  readonly attempts: number;
  readonly elapsedMs: number;
  /** Why a failed call was given up. */
  readonly because?: StopReason;
  readonly summary: string;
  /** The newest 100 attempts. */
  readonly timings: readonly AttemptTiming[];
}

/** A line of the journal. */
export type JournalEntry = JournalAttempt | JournalFallback | JournalOutcome;

export const MOST_TIMINGS = 100;
const OUTCOMES: Readonly<Record<JournalOutcome['outcome'], true>> = { succeeded: true, failed: true, cancelled: true };

const BASE = { version: exactly(1), callId: text(), method: text(32), url, at: instant, context } as const;

const ENTRIES: readonly Read<JournalEntry>[] = [
  object<JournalAttempt>(
    {
      ...BASE,
      kind: exactly('attempt'),
      attempt: count,
      failure: orNull(failure),
      delayMs: orNull(amount),
      because: waitReason,
    },
    { nextAttemptAt: instant, target: text() },
  ),
  object<JournalFallback>({ ...BASE, kind: exactly('fallback'), from: text(), to: text(), failureType }, {}),
  object<JournalOutcome>(
    {
      ...BASE,
      kind: exactly('outcome'),
      outcome: keyOf(OUTCOMES),
      attempts: count,
      elapsedMs: amount,
      summary: text(2_048),
      timings: list(
        object<AttemptTiming>({ attempt: count, startedAt: instant, durationMs: amount }, { target: text() }),
        MOST_TIMINGS,
      ),
    },
    { because: stopReason },
  ),
];

export const storedEntry: Read<JournalEntry> = (value, rule) => {
  for (const read of ENTRIES) {
    const entry = read(value, rule);
    if (entry !== undefined) return entry;
  }
  return undefined;
};
