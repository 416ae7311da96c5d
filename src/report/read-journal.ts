/** Reads a journal, its older files first. Invalid lines are counted and skipped. */

import { constants, fstatSync } from 'node:fs';
import { expectNumber } from '../runtime/expect.ts';
import { copyEntry, type JournalEntry, type JournalOutcome } from './journal-entry.ts';
import { ifThere, readLines, readRecords, withFile } from './line-file.ts';
import { cut } from './stored-values.ts';

/** One call of the journal. */
export interface JournalRun {
  readonly requestId: string;
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

const MOST_FILES = 1_000;

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
  const parts: (readonly JournalEntry[])[] = [];
  const seen = new Set<bigint>();
  let damagedLines = 0;
  let isTorn = false;
  let missing = 0;
  // The newest first: a file that is rotated during the reading is then read twice rather than not at all.
  for (let age = 0; age < MOST_FILES; age += 1) {
    const part = ifThere(undefined, () =>
      withFile(age === 0 ? path : `${path}.${age}`, constants.O_RDONLY, (fd) => {
        const { ino } = fstatSync(fd, { bigint: true });
        if (seen.has(ino)) return [];
        seen.add(ino);
        const { entries, damaged, rest } = readPart(fd, maxEntries);
        damagedLines += damaged + (rest && age > 0 ? 1 : 0);
        isTorn ||= rest && age === 0;
        return entries;
      }),
    );
    if (part !== undefined) parts.unshift(part);
    missing = part === undefined ? missing + 1 : 0;
    // An interrupted rotation leaves one gap.
    if (missing === 2) break;
  }
  const entries = parts.flat().slice(-maxEntries);
  return { entries, runs: runsOf(entries), damagedLines, isTorn };
}

function readPart(fd: number, most: number): { entries: readonly JournalEntry[]; damaged: number; rest: boolean } {
  const entries: JournalEntry[] = [];
  let damaged = 0;
  let rest = false;
  const accept = (value: unknown): boolean => {
    const entry = copyEntry(value, cut);
    if (entry !== undefined) entries.push(entry);
    if (entries.length > 2 * most) entries.splice(0, entries.length - most);
    return entry !== undefined;
  };
  readLines(fd, 0, (bytes, kind) => {
    if (kind !== 'piece' && readRecords(bytes, accept) === undefined) return;
    if (kind === 'rest') rest = true;
    else damaged += 1;
  });
  return { entries, damaged, rest };
}

function runsOf(entries: readonly JournalEntry[]): readonly JournalRun[] {
  const runs: { readonly requestId: string; readonly entries: JournalEntry[]; outcome: JournalOutcome | null }[] = [];
  const open = new Map<string, (typeof runs)[number]>();
  for (const entry of entries) {
    const { requestId } = entry;
    let run = open.get(requestId);
    if (run === undefined) {
      run = { requestId, entries: [], outcome: null };
      runs.push(run);
      open.set(requestId, run);
    }
    run.entries.push(entry);
    if (entry.kind !== 'outcome') continue;
    run.outcome = entry;
    open.delete(requestId);
  }
  return runs;
}
