/** The entries of a journal, and how they are checked. */

import { type Failure, FAILURES, type FailureType, type StopReason, type WaitReason } from '../index.ts';
import {
  amountOf,
  contextOf,
  countOf,
  failureOf,
  fieldsOf,
  instantOf,
  isKey,
  listOf,
  type StepContext,
  stopReasonOf,
  textOf,
  type TextRule,
  urlOf,
  waitReasonOf,
} from './stored-values.ts';

/** The fields of every entry. */
export interface JournalEntryBase {
  readonly version: 1;
  readonly requestId: string;
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

/** A frozen copy of an entry; undefined for any other value. */
export function copyEntry(value: unknown, rule: TextRule): JournalEntry | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const base = baseOf(fields, rule);
  if (base === undefined) return undefined;
  if (fields.kind === 'attempt') return attemptEntry(base, fields, rule);
  if (fields.kind === 'fallback') return fallbackEntry(base, fields, rule);
  return fields.kind === 'outcome' ? outcomeEntry(base, fields, rule) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function baseOf(fields: Fields, rule: TextRule): JournalEntryBase | undefined {
  const requestId = textOf(fields.requestId, rule);
  const method = textOf(fields.method, rule, 32);
  const url = urlOf(fields.url, rule);
  const at = instantOf(fields.at);
  const context = contextOf(fields.context, rule);
  if (fields.version !== 1 || requestId === undefined || method === undefined) return undefined;
  if (url === undefined || at === undefined || context === undefined) return undefined;
  return { version: 1, requestId, method, url, at, context };
}

function attemptEntry(base: JournalEntryBase, fields: Fields, rule: TextRule): JournalAttempt | undefined {
  const attempt = countOf(fields.attempt);
  const failure = fields.failure === null ? null : failureOf(fields.failure, rule);
  const delayMs = fields.delayMs === null ? null : amountOf(fields.delayMs);
  const because = waitReasonOf(fields.because);
  if (attempt === undefined || failure === undefined || delayMs === undefined || because === undefined)
    return undefined;
  const nextAttemptAt = instantOf(fields.nextAttemptAt);
  const target = textOf(fields.target, rule);
  return Object.freeze({
    ...base,
    kind: 'attempt',
    attempt,
    failure,
    delayMs,
    because,
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
    ...(target !== undefined && { target }),
  });
}

function fallbackEntry(base: JournalEntryBase, fields: Fields, rule: TextRule): JournalFallback | undefined {
  const from = textOf(fields.from, rule);
  const to = textOf(fields.to, rule);
  const { failureType } = fields;
  if (from === undefined || to === undefined || !isKey<FailureType>(FAILURES, failureType)) return undefined;
  return Object.freeze({ ...base, kind: 'fallback', from, to, failureType });
}

function outcomeEntry(base: JournalEntryBase, fields: Fields, rule: TextRule): JournalOutcome | undefined {
  const { outcome } = fields;
  const attempts = countOf(fields.attempts);
  const elapsedMs = amountOf(fields.elapsedMs);
  const summary = textOf(fields.summary, rule, 2_048);
  const timings = listOf(fields.timings, MOST_TIMINGS, (item) => timingOf(item, rule));
  if (!isKey(OUTCOMES, outcome) || attempts === undefined || elapsedMs === undefined) return undefined;
  if (summary === undefined || timings === undefined) return undefined;
  const because = stopReasonOf(fields.because);
  const reason = because === undefined ? {} : { because };
  return Object.freeze({ ...base, kind: 'outcome', outcome, attempts, elapsedMs, ...reason, summary, timings });
}

function timingOf(value: unknown, rule: TextRule): AttemptTiming | undefined {
  const fields = fieldsOf(value);
  const attempt = countOf(fields?.attempt);
  const startedAt = instantOf(fields?.startedAt);
  const durationMs = amountOf(fields?.durationMs);
  const target = textOf(fields?.target, rule);
  if (attempt === undefined || startedAt === undefined || durationMs === undefined) return undefined;
  return Object.freeze({ attempt, startedAt, durationMs, ...(target !== undefined && { target }) });
}
