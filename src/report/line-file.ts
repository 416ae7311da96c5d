/**
 * A file of lines that several processes append to at once, with its older files `<path>.1`, `<path>.2`, …. A line is one
 * `write` on a descriptor in append mode, which the kernel keeps in one piece, so appending needs no lock. A written line
 * survives `kill -9`, because it is in the page cache; a power failure can lose more, because nothing is flushed to the
 * disk. A file that is too large is renamed: what another process is writing into it meanwhile is kept under the new name.
 */

import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { notify } from '../events/events.ts';
import { mismatch } from '../runtime/expect.ts';

/** Only its owner may read and write the file. */
const FILE_MODE = 0o600;
/**
 * A symbolic link in place of the file is not followed, and opening a FIFO or a device never waits for its other end.
 * Windows has none of these flags.
 */
const SAFE_OPEN: number = [constants.O_NOFOLLOW, constants.O_NONBLOCK, constants.O_NOCTTY].reduce(
  (flags, flag) => flags | (flag ?? 0),
  0,
);
const NEWLINE = 10;
/** The work takes milliseconds; a process that dies during it leaves its lock. */
const STALE_LOCK_MS = 10_000;
const MOST_FILES = 1_000;

export interface LineFileOptions {
  readonly path: string;
  /** How many files there may be, from 1, including the current one. */
  readonly maxFiles: number;
  /** How many lines may wait; beyond that the oldest is lost, and `onError` is called. */
  readonly maxWaiting: number;
  /** Called with every error of writing. Errors that it throws are ignored. */
  readonly onError: ((error: Error) => void) | undefined;
}

/**
 * Writes lines and never throws. A line that could not be written, because the disk is full or the directory is gone,
 * waits in memory and is tried again before the next.
 */
export class LineFile {
  readonly #options: LineFileOptions;
  readonly #waiting: string[] = [];

  /** @throws TypeError if the path is not a text */
  constructor(options: LineFileOptions) {
    const { path } = options;
    if (typeof path !== 'string' || path === '') throw new TypeError(mismatch('path', 'the path of a file', path));
    this.#options = options;
  }

  /** The lines that could not be written yet, oldest first. */
  get waiting(): readonly string[] {
    return this.#waiting;
  }

  /** Writes the waiting lines, then this one. Returns the size of the file; undefined if a line still waits. */
  write(line: string): number | undefined {
    const { path, maxWaiting } = this.#options;
    this.#waiting.push(line);
    let size: number | undefined;
    this.attempt(() => {
      let written: number | undefined;
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        written = appendLine(path, first);
        this.#waiting.shift();
      }
      size = written;
    });
    if (this.#waiting.length > maxWaiting) {
      this.#waiting.shift();
      this.#report(new Error(`A line for ${path} is lost: ${maxWaiting} newer ones wait.`));
    }
    return size;
  }

  /**
   * Renames the file to `<path>.1`, that one to `<path>.2`, …, and deletes the oldest, if the file is still larger than
   * `maxBytes`. If another process does so at this moment, it is left to that one.
   */
  rotate(maxBytes: number): void {
    const { path, maxFiles } = this.#options;
    this.attempt(() =>
      withLock(`${path}.lock`, () => {
        if (ifThere(0, () => statSync(path).size) <= maxBytes) return;
        if (maxFiles === 1) rmSync(path, { force: true });
        // Into the first gap, or over the oldest file.
        let free = 1;
        while (free < maxFiles - 1 && existsSync(nameOf(path, free))) free += 1;
        for (let age = Math.min(free, maxFiles - 1); age > 0; age -= 1)
          renameSync(nameOf(path, age - 1), nameOf(path, age));
      }),
    );
  }

  /** Runs work that must not break the caller: its error goes to `onError`. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  #report(error: unknown): void {
    notify(this.#options.onError, error instanceof Error ? error : new Error(String(error)));
  }
}

/** What is in a file of lines and its older files. */
export interface Lines {
  /** Without empty lines, to be read once. An unfinished last line is one of them. */
  readonly newestFirst: Iterable<string>;
  /** Whether the newest file ends in an unfinished line. */
  readonly isTorn: boolean;
}

/** Reads a file and its older files. @throws the system's error, except if a file does not exist */
export function readLines(path: string, maxFiles: number = MOST_FILES): Lines {
  const parts: string[] = [];
  const seen = new Set<bigint>();
  let missing = 0;
  // The newest first: a file that is renamed during the reading is then seen twice rather than not at all. An interrupted
  // rotation leaves one gap.
  for (let age = 0; age < maxFiles && missing < 2; age += 1) {
    const part = ifThere(undefined, () =>
      withFile(nameOf(path, age), constants.O_RDONLY, (fd) => {
        const { ino } = fstatSync(fd, { bigint: true });
        const text = seen.has(ino) ? '' : readFileSync(fd, 'utf8');
        seen.add(ino);
        return text;
      }),
    );
    missing = part === undefined ? missing + 1 : 0;
    parts.push(part ?? '');
  }
  const isTorn = !/(?:^|\n)$/.test(parts[0] ?? '');
  return { newestFirst: linesFromEnd(parts), isTorn };
}

/** One by one, because a damaged file may have millions. */
function* linesFromEnd(parts: readonly string[]): Generator<string> {
  for (const part of parts) {
    let end = part.length;
    for (;;) {
      while (part.charCodeAt(end - 1) === NEWLINE) end -= 1;
      if (end === 0) break;
      const start = part.lastIndexOf('\n', end - 1) + 1;
      yield part.slice(start, end);
      end = start;
    }
  }
}

function nameOf(path: string, age: number): string {
  return age === 0 ? path : `${path}.${age}`;
}

/** Appends one line and returns the size of the file after it. @throws the system's error */
function appendLine(path: string, line: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  const write = (): number => withFile(path, flags, (fd) => append(fd, `${line}\n`));
  return ifThere(undefined, write) ?? (mkdirSync(dirname(path), { recursive: true, mode: 0o700 }), write());
}

function append(fd: number, text: string): number {
  const { mode, size } = fstatSync(fd);
  if ((mode & 0o077) !== 0) fchmodSync(fd, FILE_MODE);
  // A line was cut while it was written: the new line must not become part of it.
  const bytes = Buffer.from(size > 0 && lastByte(fd, size) !== NEWLINE ? `\n${text}` : text);
  const written = writeSync(fd, bytes);
  if (written < bytes.length)
    throw new Error(`Only ${written} of ${bytes.length} bytes could be written: is the disk full?`);
  return size + written;
}

function lastByte(fd: number, size: number): number | undefined {
  const byte = new Uint8Array(1);
  readSync(fd, byte, 0, 1, size - 1);
  return byte[0];
}

/** Opens a file, runs `work` on it and closes it. Never waits. @throws for anything but a regular file */
function withFile<T>(path: string, flags: number, work: (fd: number) => T): T {
  const fd = openSync(path, flags | SAFE_OPEN, FILE_MODE);
  try {
    if (!fstatSync(fd).isFile()) throw new Error(`Expected ${path} to be a regular file.`);
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** Does the work if no other process does it at this moment. */
function withLock(lock: string, work: () => void): void {
  try {
    writeFileSync(lock, '', { flag: 'wx', mode: FILE_MODE });
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
    // Of the future too: the clock may have been set back.
    const isStale = ifThere(false, () => Math.abs(Date.now() - statSync(lock).mtimeMs) > STALE_LOCK_MS);
    if (isStale) rmSync(lock, { force: true });
    return;
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Returns `otherwise` if a file of the work does not exist. */
function ifThere<T>(otherwise: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return otherwise;
    throw error;
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
