/**
 * A lock beside a file, for the rare work that replaces it. Nobody waits: whoever does not get it leaves the work to
 * whoever has it. A lock whose owner is dead is taken over.
 */

import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { FILE_MODE, isSystemError } from './line-file.ts';

/** The work takes well below a second, but the owner may be on another machine, or suspended. */
const STALE_MS = 600_000;
/** A lock without an owner is a process that died between making the file and filling it. */
const STALE_UNOWNED_MS = 10_000;

/**
 * Does the work if the lock is free, and says whether it did. The work asks `isHeld` before its last step: the lock may
 * have been taken from a process that was suspended for long.
 */
export function withLock(path: string, work: (isHeld: () => boolean) => void): boolean {
  const lock = `${path}.lock`;
  const claim = `${process.pid} ${hostname()} ${randomUUID()}`;
  if (!take(lock, claim) && !(removeStale(lock, claim) && take(lock, claim))) return false;
  const isHeld = (): boolean => read(lock) === claim;
  try {
    work(isHeld);
    return true;
  } finally {
    if (isHeld()) rmSync(lock, { force: true });
  }
}

function take(lock: string, claim: string): boolean {
  try {
    writeFileSync(lock, claim, { flag: 'wx', mode: FILE_MODE });
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
}

function read(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
}

function removeStale(lock: string, claim: string): boolean {
  const owner = read(lock);
  const stats = statSync(lock, { throwIfNoEntry: false });
  if (owner === undefined || stats === undefined) return true;
  const ageMs = Date.now() - stats.mtimeMs;
  const [, pid, host] = /^(\d+) (\S*) /.exec(owner) ?? [];
  const isDead = pid === undefined ? ageMs > STALE_UNOWNED_MS : host === hostname() && !isRunning(Number(pid));
  if (!isDead && ageMs <= STALE_MS) return false;
  // Moved before it is removed: between reading it and now it may have become somebody's again.
  const aside = `${lock}-${claim.slice(-36)}`;
  try {
    renameSync(lock, aside);
    if (read(aside) !== owner) linkSync(aside, lock);
  } catch {
    return false;
  } finally {
    rmSync(aside, { force: true });
  }
  return true;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return !isSystemError(error, 'ESRCH');
  }
}
