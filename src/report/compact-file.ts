/**
 * Replaces a file of lines by a shorter one while other processes append to it.
 *
 * The new file is written next to the old one and renamed into its place, so a reader sees one or the other. Lines that
 * are appended meanwhile are kept in two ways. A writer whose line went into a replaced file notices it and writes the
 * line again. And the old file keeps a second name (a hard link) until the lines appended after it was read are copied
 * to the new one; that name holds the position of the first of them, so the next process can finish the work of a
 * killed one. On a file system without hard links, a `kill -9` at that moment can lose a line.
 */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withLock } from './file-lock.ts';
import {
  appendBytes,
  appendLine,
  FILE_MODE,
  ifThere,
  isSameFile,
  isSystemError,
  readLines,
  withFile,
} from './line-file.ts';

/** Decides which lines stay. */
export interface Keeper {
  /** Takes a line and returns its damaged bytes. It must copy the bytes that it keeps. */
  take(bytes: Buffer): Buffer | undefined;
  /** The lines of the new file. */
  lines(): readonly string[];
}

/**
 * Compacts the file; returns false if there is none or another process is compacting it. Damaged lines are appended to
 * `<path>.damaged` first. `createKeeper` is called once per file that is read.
 */
export function compactFile(path: string, createKeeper: () => Keeper): boolean {
  let replaced = false;
  withLock(path, (isHeld) => {
    finishOthers(path, createKeeper);
    replaced = replace(path, createKeeper, isHeld);
  });
  return replaced;
}

/** Whether a killed process left lines to carry over. */
export function hasUnfinished(path: string): boolean {
  return leftBeside(path, 'old').length > 0;
}

function replace(path: string, createKeeper: () => Keeper, isHeld: () => boolean): boolean {
  const keeper = createKeeper();
  const name = randomUUID();
  const next = `${path}.new-${name}`;
  return ifThere(false, () =>
    withFile(path, constants.O_RDONLY, (fd) => {
      const restAt = readInto(keeper, fd, 0, path, 'later');
      const old = `${path}.old-${restAt}-${name}`;
      let renamed = false;
      try {
        writeWhole(next, keeper.lines());
        linkIfPossible(path, old);
        if (!isHeld() || !isSameFile(fd, path)) return false;
        renameSync(next, path);
        renamed = true;
      } finally {
        if (!renamed) for (const left of [next, old]) rmSync(left, { force: true });
      }
      // If this fails the second name stays, and the next process continues from it.
      carry(fd, restAt, path, createKeeper);
      rmSync(old, { force: true });
      return true;
    }),
  );
}

/** Appends to the new file the lines that were added to the old one after it was read. */
function carry(fd: number, from: number, path: string, createKeeper: () => Keeper): void {
  const keeper = createKeeper();
  readInto(keeper, fd, from, path, 'now');
  for (const line of keeper.lines()) appendLine(path, line, 'path');
}

function finishOthers(path: string, createKeeper: () => Keeper): void {
  for (const { name } of leftBeside(path, 'new')) rmSync(name, { force: true });
  for (const { name, from } of leftBeside(path, 'old')) {
    withFile(name, constants.O_RDONLY, (fd) => {
      // Still the same file: its process died before the rename, so nothing was replaced.
      if (!isSameFile(fd, path) && isOwn(fstatSync(fd))) carry(fd, from, path, createKeeper);
    });
    rmSync(name, { force: true });
  }
}

/**
 * `later`: an unfinished last line may still grow, and is left where it is. `now`: it will not grow, or its writer will
 * notice that the file was replaced.
 */
function readInto(keeper: Keeper, fd: number, from: number, path: string, rest: 'later' | 'now'): number {
  const damaged: Buffer[] = [];
  let damagedBytes = 0;
  const setAside = (): void => {
    if (damaged.length === 0) return;
    appendBytes(`${path}.damaged`, Buffer.concat(damaged));
    damaged.length = 0;
    damagedBytes = 0;
  };
  const restAt = readLines(fd, from, (bytes, kind) => {
    if (kind === 'rest' && rest === 'later') return;
    const bad = kind === 'piece' ? bytes : keeper.take(bytes);
    if (bad === undefined) return;
    damaged.push(kind === 'piece' ? Buffer.from(bad) : Buffer.concat([bad, Buffer.from('\n')]));
    damagedBytes += bad.length;
    if (damagedBytes > 1_048_576) setAside();
  });
  setAside();
  return restAt;
}

function writeWhole(path: string, lines: readonly string[]): void {
  const fd = openSync(path, 'wx', FILE_MODE);
  try {
    writeFileSync(fd, lines.map((line) => `${line}\n`).join(''));
    // A rename can reach the disk before the contents do.
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function linkIfPossible(path: string, second: string): void {
  try {
    linkSync(path, second);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].some((code) => isSystemError(error, code))) throw error;
  }
}

/** Matches the names that `replace` gives; the number is the position of the first byte to copy. */
const LEFT_NAME = /^\.(?:(new)|(old)-(\d{1,15}))-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The files that this user's processes left next to `path`. Any other file, whatever its name, is left alone. */
function leftBeside(path: string, kind: 'new' | 'old'): { readonly name: string; readonly from: number }[] {
  const directory = dirname(path);
  const own = basename(path);
  return ifThere([], () => readdirSync(directory)).flatMap((entry) => {
    const [, isNew, isOld, from = '0'] = entry.startsWith(own) ? (LEFT_NAME.exec(entry.slice(own.length)) ?? []) : [];
    if ((isNew ?? isOld) !== kind) return [];
    const name = join(directory, entry);
    const stats = lstatSync(name, { throwIfNoEntry: false });
    return stats !== undefined && isOwn(stats) ? [{ name, from: Number(from) }] : [];
  });
}

/** Whether it is a regular file of this user that no other user can write to. On Windows, any regular file. */
function isOwn(stats: Stats): boolean {
  const isPrivate = process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
  return stats.isFile() && isPrivate;
}
