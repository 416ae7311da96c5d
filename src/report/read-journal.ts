/** Reads a journal, its older files first. Invalid lines are counted and skipped. */

import { expectNumber } from '../runtime/expect.ts';
import { storedEntry, type JournalEntry, type JournalOutcome } from './journal-entry.ts';
import { parse } from './json-line.ts';
import { readLines } from './line-file.ts';
import { cut } from './stored-values.ts';

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
  for (const line of newestFirst()) {
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
