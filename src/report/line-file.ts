/**
 * A file of lines that several processes append to at once. A line is one `write` on a descriptor in append mode, which
 * the kernel keeps in one piece, so nobody waits for a lock. What a process hands over survives its `kill -9`: it is in
 * the page cache by then. Lost is at most the line in the middle of whose `write` the process died; a loss of power can
 * take more, because nothing is forced onto the disk.
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

/** A longer line is none of ours. */
export const MAX_LINE_BYTES = 524_288;

const CHUNK_BYTES = 262_144;
const NEWLINE = 10;
/** Private to its owner. */
export const FILE_MODE = 0o600;
/** Windows has no such flag. Elsewhere a link that somebody put in our place is refused, not followed. */
const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0;

/** Whether the error is the system's, with this code. */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Does the work, unless what it works on does not exist. */
export function ifThere<T>(otherwise: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return otherwise;
    throw error;
  }
}

/** Opens a regular file of ours; anything else that is found in its place is refused. */
function openFile(path: string, flags: number): number {
  const fd = openSync(path, flags | NO_FOLLOW, FILE_MODE);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error(`Expected ${path} to be a regular file.`);
}

/** Runs `work` on an open descriptor and closes it. */
export function withFile<T>(path: string, flags: number, work: (fd: number) => T): T {
  const fd = openFile(path, flags);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** Whether the path still leads to the file that is open. */
export function isSameFile(fd: number, path: string): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  const here = fstatSync(fd, { bigint: true });
  return there?.ino === here.ino && there.dev === here.dev;
}

/**
 * Appends one line and gives the size of the file after it. `path`: where the file was replaced meanwhile, the line is
 * written again to its successor, and may then be found twice. `file`: a file that was renamed meanwhile keeps it.
 *
 * @throws the error of the system; part of the line may be in the file then, and the next line begins on its own.
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

/** Not the recursive `mkdirSync`: in a directory where nothing can be made, `/proc` for one, that never returns. */
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

/** Appends bytes as they are. @throws the error of the system; part of them may be in the file then */
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
  // Somebody died in the middle of the last line: it must not swallow ours.
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

/** `line`: without its newline. `piece`: of a line that is too long, newline included. `rest`: the end, unfinished. */
export type LineKind = 'line' | 'piece' | 'rest';

/**
 * Reads lines from an offset on, in bounded memory whatever the file holds; empty ones are passed over. The bytes are
 * only lent. Returns where the unfinished rest begins.
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

/** Every record that we write begins so, and no string inside of one can: its quotes are escaped. */
const RECORD_START = '{"version":1,';
const UTF_8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true });

/**
 * Offers what a line holds to `accept` and returns the bytes that are no record of its. One that stands behind the
 * remains of another is found.
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
