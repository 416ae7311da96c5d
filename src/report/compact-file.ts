/**
 * Replaces a file of lines by a shorter one while other processes go on appending to it.
 *
 * The new file is written beside the old and renamed into its place, so a reader sees one or the other. Two things
 * keep what is appended meanwhile. A writer whose line went into a file that has been replaced notices and writes it
 * again. And the old file keeps a second name until everything that was appended to it after it had been read is
 * carried over; its name tells from where on, so whoever comes next finishes what a killed process began. Where the
 * file system has no second names, only a `kill -9` in that moment can cost a line.
 */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
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

/** What decides what stays. */
export interface Keeper {
  /** Takes a line; returns the bytes of it that are damaged. The bytes are only lent. */
  take(bytes: Buffer): Buffer | undefined;
  /** What was taken, as the lines of the new file. */
  lines(): readonly string[];
}

/**
 * Compacts, and says whether it did: another process may be at it, or there may be no file. Damaged lines are appended
 * to `<path>.damaged` first. A `createKeeper` is asked for one keeper per file that is read.
 */
export function compactFile(path: string, createKeeper: () => Keeper): boolean {
  let replaced = false;
  withLock(path, (isHeld) => {
    finishOthers(path, createKeeper);
    replaced = replace(path, createKeeper, isHeld);
  });
  return replaced;
}

/** Whether a killed process has left something to carry over. */
export function hasUnfinished(path: string): boolean {
  return besides(path, 'old').length > 0;
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
      // Where this fails the second name stays, and the next process goes on from it.
      carry(fd, restAt, path, createKeeper);
      rmSync(old, { force: true });
      return true;
    }),
  );
}

/** Appends to the new file what the old one got after it had been read, and lets the old one go. */
function carry(fd: number, from: number, path: string, createKeeper: () => Keeper): void {
  const keeper = createKeeper();
  readInto(keeper, fd, from, path, 'now');
  for (const line of keeper.lines()) appendLine(path, line, 'path');
}

function finishOthers(path: string, createKeeper: () => Keeper): void {
  for (const next of besides(path, 'new')) rmSync(next, { force: true });
  for (const old of besides(path, 'old')) {
    const from = Number(/\.old-(\d+)-/.exec(old)?.[1] ?? 0);
    withFile(old, constants.O_RDONLY, (fd) => {
      // Still the file itself: its process died before the rename, and nothing has happened.
      if (!isSameFile(fd, path)) carry(fd, from, path, createKeeper);
    });
    rmSync(old, { force: true });
  }
}

/**
 * `later`: an unfinished last line may still be in the making and is left where it is. `now`: it is not coming any more,
 * or its writer will notice that the file was replaced.
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

function besides(path: string, kind: 'new' | 'old'): string[] {
  const directory = dirname(path);
  const names = ifThere([], () => readdirSync(directory));
  return names.filter((name) => name.startsWith(`${basename(path)}.${kind}-`)).map((name) => join(directory, name));
}
