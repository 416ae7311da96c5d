/**
 * Reads a journal, its older files first. What is no entry is counted and passed over: a journal may have been cut off
 * anywhere, and written to by anyone.
 */

import { constants, fstatSync } from 'node:fs';
import { expectCount } from './expect-count.ts';
import { copyEntry, type JournalEntry, type JournalOutcome } from './journal-entry.ts';
import { ifThere, readLines, readRecords, withFile } from './line-file.ts';
import { cut } from './stored-values.ts';

/** One call of the journal. */
export interface JournalRun {
  readonly requestId: string;
  /** In the order in which they were written. */
  readonly entries: readonly JournalEntry[];
  /** null: under way, or its process ended before it did. */
  readonly outcome: JournalOutcome | null;
}

/** What a journal holds. */
export interface JournalReading {
  /** The oldest first. */
  readonly entries: readonly JournalEntry[];
  /** The same by call, in the order in which they began. A request id that is used again begins another run. */
  readonly runs: readonly JournalRun[];
  /** Lines that are no entries. */
  readonly damagedLines: number;
  /** Whether the newest file ends in an unfinished line; the next entry begins on a line of its own. */
  readonly isTorn: boolean;
}

const MOST_FILES = 1_000;

/**
 * Reads the journal at `path` with `<path>.1`, `<path>.2`, …; one that does not exist is empty. Keeps the newest
 * `maxEntries` entries.
 *
 * @throws the system's error for a file that cannot be read
 */
export function readJournal(
  path: string,
  { maxEntries = 100_000 }: { readonly maxEntries?: number | undefined } = {},
): JournalReading {
  expectCount('maxEntries', maxEntries);
  const parts: (readonly JournalEntry[])[] = [];
  const seen = new Set<bigint>();
  let damagedLines = 0;
  let isTorn = false;
  let missing = 0;
  // From the newest on: a rotation at this moment shows a file twice rather than not at all.
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
    // A rotation that was cut short leaves one gap.
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
