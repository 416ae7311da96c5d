/**
 * A file of lines that several processes append to at once. A line is one `write` on a descriptor in append mode, which
 * the kernel keeps in one piece, so no lock is needed. A written line survives `kill -9`, because it is in the page
 * cache; at most the line that was being written is lost. A power failure can lose more, because nothing is flushed to
 * the disk.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { mismatch } from '../runtime/expect.ts';

/** A longer line was not written by this library. */
export const MAX_LINE_BYTES = 524_288;

const CHUNK_BYTES = 262_144;
const NEWLINE = 10;
/** Only its owner may read and write the file. */
export const FILE_MODE = 0o600;
/**
 * A symbolic link in place of the file is not followed, and opening a FIFO or a device never waits for its other end.
 * Windows has none of these flags.
 */
const SAFE_OPEN: number = [constants.O_NOFOLLOW, constants.O_NONBLOCK, constants.O_NOCTTY].reduce(
  (flags, flag) => flags | (flag ?? 0),
  0,
);

/** Whether this is a system error with the given code. */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Returns `otherwise` if a file of the work does not exist. */
export function ifThere<T>(otherwise: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return otherwise;
    throw error;
  }
}

/** Opens a file, runs `work` on it and closes it. Never waits. @throws for anything but a regular file */
export function withFile<T>(path: string, flags: number, work: (fd: number) => T): T {
  const fd = openSync(path, flags | SAFE_OPEN, FILE_MODE);
  try {
    if (!fstatSync(fd).isFile()) throw notAFile(path);
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

export function notAFile(path: string): Error {
  return new Error(`Expected ${path} to be a regular file.`);
}

/** Whether the path still names the open file. */
export function isSameFile(fd: number, path: string): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  const here = fstatSync(fd, { bigint: true });
  return there?.ino === here.ino && there.dev === here.dev;
}

/**
 * Appends one line and returns the size of the file after it. If the file is replaced during the write, `path` writes
 * the line again to the new file, which may then hold it twice; `file` leaves it in the renamed one.
 *
 * @throws the system's error. Part of the line may be in the file then; the next line begins on a line of its own.
 */
export function appendLine(path: string, line: string, follow: 'path' | 'file'): number {
  let hasDirectory = false;
  for (;;) {
    try {
      const size = withFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, (fd) => {
        const after = append(fd, `${line}\n`);
        return follow === 'file' || isSameFile(fd, path) ? after : undefined;
      });
      if (size !== undefined) return size;
    } catch (error) {
      if (hasDirectory || !isSystemError(error, 'ENOENT')) throw error;
      makeDirectory(dirname(path));
      hasDirectory = true;
    }
  }
}

/** The recursive `mkdirSync` never returns if it cannot create anything, as in `/proc`. */
function makeDirectory(directory: string): void {
  const parent = dirname(directory);
  try {
    makeOne(directory);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT') || parent === directory) throw error;
    makeDirectory(parent);
    makeOne(directory);
  }
}

function makeOne(directory: string): void {
  try {
    mkdirSync(directory, 0o700);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
}

/** Appends bytes unchanged. @throws the system's error; part of the bytes may be in the file then */
export function appendBytes(path: string, bytes: Uint8Array): void {
  withFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, (fd) => {
    makePrivate(fd);
    writeFileSync(fd, bytes);
  });
}

function makePrivate(fd: number): void {
  if ((fstatSync(fd).mode & 0o077) !== 0) fchmodSync(fd, FILE_MODE);
}

function append(fd: number, text: string): number {
  makePrivate(fd);
  const { size } = fstatSync(fd);
  // A process died while it wrote the last line: the new line must not become part of it.
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

/**
 * `line`: without its newline. `piece`: part of a line that is too long, with its newline. `rest`: an unfinished end.
 */
export type LineKind = 'line' | 'piece' | 'rest';

/**
 * Reads lines from an offset on, except empty ones, in bounded memory. `visit` must copy the bytes that it keeps.
 * Returns where the unfinished end begins.
 */
export function readLines(fd: number, from: number, visit: (bytes: Buffer, kind: LineKind) => void): number {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let held: Buffer = Buffer.alloc(0);
  let tooLong = false;
  let position = from;
  for (;;) {
    const filled = chunk.subarray(0, readSync(fd, chunk, 0, CHUNK_BYTES, position));
    if (filled.length === 0) break;
    position += filled.length;
    let start = 0;
    for (let end = filled.indexOf(NEWLINE); end !== -1; end = filled.indexOf(NEWLINE, start)) {
      const isPiece = tooLong || held.length + end - start > MAX_LINE_BYTES;
      const part = filled.subarray(start, isPiece ? end + 1 : end);
      const bytes = held.length === 0 ? part : Buffer.concat([held, part]);
      if (bytes.length > 0) visit(bytes, isPiece ? 'piece' : 'line');
      held = Buffer.alloc(0);
      tooLong = false;
      start = end + 1;
    }
    held = Buffer.concat([held, filled.subarray(start)]);
    if (held.length > MAX_LINE_BYTES) {
      visit(held, 'piece');
      held = Buffer.alloc(0);
      tooLong = true;
    }
  }
  if (held.length > 0) visit(held, 'rest');
  return position - held.length;
}

/** Every record begins with this. No string inside a record can contain it, because its quotes are escaped. */
const RECORD_START = '{"version":1,';
const UTF_8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true });

/**
 * Passes the records of a line to `accept`, including one after the damaged part of another. Returns the bytes that
 * `accept` refused; undefined if it accepted all.
 */
export function readRecords(bytes: Buffer, accept: (value: unknown) => boolean): Buffer | undefined {
  const isRecord = (part: Buffer): boolean => {
    try {
      return accept(JSON.parse(UTF_8.decode(part)));
    } catch {
      return false;
    }
  };
  if (isRecord(bytes)) return undefined;
  const starts: number[] = [];
  for (let at = bytes.indexOf(RECORD_START, 1); at !== -1; at = bytes.indexOf(RECORD_START, at + 1)) starts.push(at);
  if (starts.length === 0) return bytes;
  const damaged = [0, ...starts]
    .map((start, index) => bytes.subarray(start, starts[index]))
    .filter((part) => !isRecord(part));
  return damaged.length === 0 ? undefined : Buffer.concat(damaged);
}

/** Options of a {@link LineWriter}. */
export interface LineWriterOptions {
  readonly path: string;
  readonly follow: 'path' | 'file';
  /** How many lines may wait; beyond that the oldest is lost, and `onError` is called. */
  readonly maxWaiting: number;
  /** Called with every write error. Errors that it throws are ignored. */
  readonly onError: ((error: Error) => void) | undefined;
}

/**
 * Writes lines and never throws. A line that could not be written, because the disk is full or the directory is gone,
 * waits in memory and is tried again before the next.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #waiting: string[] = [];

  /** @throws TypeError if the path is not a text */
  constructor(options: LineWriterOptions) {
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
    const { path, follow, maxWaiting } = this.#options;
    this.#waiting.push(line);
    let size: number | undefined;
    try {
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        size = appendLine(path, first, follow);
        this.#waiting.shift();
      }
      return size;
    } catch (error) {
      this.report(error);
    }
    if (this.#waiting.length > maxWaiting) {
      this.#waiting.shift();
      this.report(new Error(`A line for ${path} is lost: ${maxWaiting} newer ones wait.`));
    }
    return undefined;
  }

  /** Runs work that must not break the caller: its error goes to `onError`. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  report(error: unknown): void {
    try {
      this.#options.onError?.(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // A listener must not change what happens.
    }
  }
}
