/**
 * The journal of calls while they run: one line of JSON per failed attempt, written before the wait after it, and one for
 * the outcome. After `kill -9` the file has every attempt whose wait had begun; at most its last line is cut. A power
 * failure can lose more. A call that succeeds at the first attempt writes nothing. Invalid lines are counted and skipped
 * when it is read.
 */

import type { Failure, FailureType, RetryEvent, StopReason, WaitReason } from '../index.ts';
import { type Check, checkOptions, expectFunction, expectNumber, expectObject, number } from '../runtime/expect.ts';
import { jsonLine, parse } from './json-line.ts';
import { LineFile, readLines } from './line-file.ts';
import * as read from './stored-values.ts';
import { cut, expectContext, type Read, scrub, type StepContext } from './stored-values.ts';
import { type FinalEvent, summary } from './summary.ts';

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

const MOST_TIMINGS = 100;

const BASE = {
  version: read.oneOf(1),
  callId: read.text(),
  method: read.text(32),
  url: read.url,
  at: read.instant,
  context: read.context,
} as const;

const ENTRIES: readonly Read<JournalEntry>[] = [
  read.object<JournalAttempt>(
    {
      ...BASE,
      kind: read.oneOf('attempt'),
      attempt: read.count,
      failure: read.orNull(read.failure),
      delayMs: read.orNull(read.amount),
      because: read.waitReason,
    },
    { nextAttemptAt: read.instant, target: read.text() },
  ),
  read.object<JournalFallback>(
    {
      ...BASE,
      kind: read.oneOf('fallback'),
      from: read.text(),
      to: read.text(),
      failureType: read.failureType,
    },
    {},
  ),
  read.object<JournalOutcome>(
    {
      ...BASE,
      kind: read.oneOf('outcome'),
      outcome: read.oneOf<JournalOutcome['outcome']>('succeeded', 'failed', 'cancelled'),
      attempts: read.count,
      elapsedMs: read.amount,
      summary: read.text(2_048),
      timings: read.list(
        read.object<AttemptTiming>(
          { attempt: read.count, startedAt: read.instant, durationMs: read.amount },
          { target: read.text() },
        ),
        MOST_TIMINGS,
      ),
    },
    { because: read.stopReason },
  ),
];

const storedEntry: Read<JournalEntry> = (value, rule) => {
  for (const each of ENTRIES) {
    const entry = each(value, rule);
    if (entry !== undefined) return entry;
  }
  return undefined;
};

/** The options of `RunJournal`. */
export interface RunJournalOptions {
  /** When the file is larger, it is renamed to `<path>.1`, the older file to `<path>.2`, …. @default 4194304 */
  readonly maxBytes?: number | undefined;
  /** How many files are kept, from 1, including the current file. @default 3 */
  readonly maxFiles?: number | undefined;
  /** Added to every entry. */
  readonly context?: StepContext | undefined;
  /** Called when the file cannot be written or renamed. The line waits in memory and is written before the next line. */
  readonly onError?: ((error: Error) => void) | undefined;
}

const checksOfOptions = (): { readonly [K in keyof RunJournalOptions]-?: Check } => ({
  maxBytes: number({ integer: true, min: 1 }),
  maxFiles: number({ integer: true, min: 1 }),
  context: expectContext,
  onError: expectFunction,
});

const MOST_WAITING = 1_000;

/** Writes a journal of file mode 0600, synchronously, and never throws. */
export class RunJournal {
  /** For `onEvent`. */
  readonly listener: (event: RetryEvent) => void;
  readonly #maxBytes: number;
  readonly #context: StepContext;
  readonly #file: LineFile;

  /** Does not touch the file yet. @throws TypeError if the path or an option is invalid; the message names it */
  constructor(path: string, options: RunJournalOptions = {}) {
    checkOptions('', expectObject('options', options, 'an object such as { maxFiles: 5 }'), checksOfOptions());
    const { maxBytes = 4_194_304, maxFiles = 3, context = {}, onError } = options;
    this.#maxBytes = maxBytes;
    this.#context = context;
    this.#file = new LineFile({ path, maxFiles, maxWaiting: MOST_WAITING, onError });
    this.listener = this.listenerFor({});
  }

  /** How many lines could not be written yet. */
  get waiting(): number {
    return this.#file.waiting.length;
  }

  /** A listener that adds more context to its entries. */
  listenerFor(context: StepContext): (event: RetryEvent) => void {
    return (event) => this.#file.attempt(() => this.#hear(event, { ...this.#context, ...context }));
  }

  #hear(event: RetryEvent, context: StepContext): void {
    const { callId, method, url, at } = event;
    const base: JournalEntryBase = { version: 1, callId, method, url, at, context };
    switch (event.type) {
      case 'retry': {
        const { retry: attempt, failure, delayMs, because, nextAttemptAt } = event;
        this.#write({ ...base, kind: 'attempt', attempt, failure, delayMs, because, nextAttemptAt });
        return;
      }
      case 'fallback': {
        const { from, to, failure } = event;
        this.#write({ ...base, kind: 'fallback', from, to, failureType: failure.type });
        return;
      }
      case 'recovered':
      case 'failed':
      case 'cancelled':
        this.#conclude(event, base);
        return;
      // The attempt before such a wait is already written.
      case 'delayed':
      case 'attempt':
      // The call itself has succeeded.
      case 'broken':
    }
  }

  #conclude(event: FinalEvent, base: JournalEntryBase): void {
    const { history, attempts, elapsedMs } = event;
    for (const { attempt, failure, delayMs, because, target } of history) {
      // An attempt with a wait after it was written before that wait.
      if (delayMs !== null) continue;
      const named = target === undefined ? {} : { target };
      this.#write({ ...base, kind: 'attempt', attempt, failure, delayMs, because, ...named });
    }
    this.#write({
      ...base,
      kind: 'outcome',
      outcome: event.type === 'recovered' ? 'succeeded' : event.type,
      attempts,
      elapsedMs,
      ...(event.type === 'failed' && { because: event.because }),
      summary: summary(event),
      timings: history.slice(-MOST_TIMINGS),
    });
  }

  #write(entry: JournalEntry): void {
    const stored = storedEntry(entry, scrub);
    if (stored === undefined) throw new TypeError('Expected an event as `onEvent` gets it.');
    const size = this.#file.write(jsonLine(stored));
    if (size !== undefined && size > this.#maxBytes) this.#file.rotate(this.#maxBytes);
  }
}

/** One call of the journal. */
export interface JournalRun {
  readonly callId: string;
  /** In the order in which they were written. */
  readonly entries: readonly JournalEntry[];
  /** null: the call is still running, or its process ended first. */
  readonly outcome: JournalOutcome | null;
}

/** A file with so many invalid lines is no journal, and each takes as long as a valid one. */
const MOST_DAMAGED = 10_000;

/** The contents of a journal. */
export interface JournalReading {
  /** The oldest first. */
  readonly entries: readonly JournalEntry[];
  /** The entries by call, in the order in which the calls began. A repeated request id begins another run. */
  readonly runs: readonly JournalRun[];
  /** The number of invalid lines among those that were read. The reading ends at 10,000 of them. */
  readonly damagedLines: number;
  /** Whether the newest file ends in an unfinished line. */
  readonly isTorn: boolean;
}

/**
 * Reads the journal at `path` with its older files `<path>.1`, `<path>.2`, …. Returns the newest `maxEntries` entries;
 * none if there is no file.
 *
 * @throws the system's error if a file cannot be read
 */
export function readJournal(
  path: string,
  { maxEntries = 100_000 }: { readonly maxEntries?: number | undefined } = {},
): JournalReading {
  expectNumber('maxEntries', maxEntries, { integer: true, min: 1 });
  const { newestFirst, isTorn } = readLines(path);
  const found: JournalEntry[] = [];
  let damagedLines = 0;
  let isCut = false;
  let mayGrow = isTorn;
  for (const line of newestFirst) {
    const entry = storedEntry(parse(line), cut);
    if (entry !== undefined) found.push(entry);
    else if (mayGrow) isCut = true;
    else damagedLines += 1;
    // Only the last line may.
    mayGrow = false;
    if (found.length === maxEntries || damagedLines === MOST_DAMAGED) break;
  }
  const entries = found.toReversed();
  return { entries, runs: runsOf(entries), damagedLines, isTorn: isCut };
}

function runsOf(entries: readonly JournalEntry[]): readonly JournalRun[] {
  const runs: { readonly callId: string; readonly entries: JournalEntry[]; outcome: JournalOutcome | null }[] = [];
  const open = new Map<string, (typeof runs)[number]>();
  for (const entry of entries) {
    const { callId } = entry;
    let run = open.get(callId);
    if (run === undefined) {
      run = { callId, entries: [], outcome: null };
      runs.push(run);
      open.set(callId, run);
    }
    run.entries.push(entry);
    if (entry.kind !== 'outcome') continue;
    run.outcome = entry;
    open.delete(callId);
  }
  return runs;
}
