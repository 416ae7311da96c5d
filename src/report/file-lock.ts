/**
 * A lock next to a file, for the rare work that replaces the file. No process waits: one that does not get the lock
 * leaves the work to the owner. The lock of a dead process is taken over.
 */

import { randomUUID } from 'node:crypto';
import { constants, linkSync, lstatSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { FILE_MODE, isSystemError, notAFile, withFile } from './line-file.ts';

/** The work takes well below a second, but the owner may be on another machine, or suspended. */
const STALE_MS = 600_000;
/** A process that dies between creating the lock and filling it leaves one without an owner. */
const STALE_UNOWNED_MS = 10_000;
/** A process id, a host name and a UUID. */
const MAX_CLAIM_BYTES = 512;

/**
 * Does the work if the lock is free; returns whether it did. The work checks `isHeld` before its last step: a process
 * that was suspended for long may have lost the lock.
 *
 * @throws the system's error, or the error of the work
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
    return withFile(lock, constants.O_RDONLY, (fd) => {
      const bytes = Buffer.alloc(MAX_CLAIM_BYTES);
      return bytes.toString('utf8', 0, readSync(fd, bytes, 0, MAX_CLAIM_BYTES, 0));
    });
  } catch {
    return undefined;
  }
}

function removeStale(lock: string, claim: string): boolean {
  const stats = lstatSync(lock, { throwIfNoEntry: false });
  // Silently left there, it would keep the file from ever being compacted.
  if (stats?.isFile() === false) throw notAFile(lock);
  const owner = read(lock);
  if (owner === undefined || stats === undefined) return true;
  const ageMs = Date.now() - stats.mtimeMs;
  const [, pid, host] = /^(\d+) (\S*) /.exec(owner) ?? [];
  const isDead = pid === undefined ? ageMs > STALE_UNOWNED_MS : host === hostname() && !isRunning(Number(pid));
  if (!isDead && ageMs <= STALE_MS) return false;
  // Moved before it is removed: another process may have taken it since it was read.
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
    // EPERM: it runs as another user.
    return !isSystemError(error, 'ESRCH');
  }
}
