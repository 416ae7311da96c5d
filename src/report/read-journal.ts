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

/** The contents of a journal. */
export interface JournalReading {
  /** The oldest first. */
  readonly entries: readonly JournalEntry[];
  /** The entries by call, in the order in which the calls began. A repeated request id begins another run. */
  readonly runs: readonly JournalRun[];
  /** The number of invalid lines. */
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
  const { lines, isTorn } = readLines(path);
  const read = lines.map((line) => storedEntry(parse(line), cut));
  const entries = read.filter((entry) => entry !== undefined).slice(-maxEntries);
  // The last line counts as damaged only if it will not grow.
  const isCut = isTorn && read.at(-1) === undefined;
  const damagedLines = read.filter((entry) => entry === undefined).length - (isCut ? 1 : 0);
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
