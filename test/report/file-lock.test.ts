import { spawnSync } from 'node:child_process';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { withLock } from '../../src/report/file-lock.ts';
import { temporaryFile, watchFile } from './samples.ts';

// Before anything watches it.
const realRename = fs.renameSync;
const DEAD = spawnSync(process.execPath, ['--version']).pid;

function locked(owner: string, ageMs: number): string {
  const path = temporaryFile();
  writeFileSync(`${path}.lock`, owner);
  const then = new Date(Date.now() - ageMs);
  utimesSync(`${path}.lock`, then, then);
  return path;
}

describe('a lock', () => {
  it('exists during the work and is gone afterwards, even if the work throws', () => {
    const path = temporaryFile();
    expect(withLock(path, (isHeld) => expect([isHeld(), existsSync(`${path}.lock`)]).toEqual([true, true]))).toBe(true);
    expect(() =>
      withLock(path, () => {
        throw new Error('work');
      }),
    ).toThrow('work');
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('is for one process only, and no other waits', () => {
    const path = temporaryFile();
    const second = vi.fn<() => void>();
    withLock(path, () => expect(withLock(path, second)).toBe(false));
    expect(second).not.toHaveBeenCalled();
  });

  it.each([
    ['of a dead process is taken over', `${DEAD} ${hostname()} x`, 0, true],
    ['of a living process is respected', `${process.pid} ${hostname()} x`, 0, false],
    ['of another user’s living process is respected', `1 ${hostname()} x`, 0, false],
    ['of another machine is respected', `${DEAD} elsewhere x`, 60_000, false],
    ['of another machine is taken over after ten minutes', `${DEAD} elsewhere x`, 601_000, true],
    [
      'of a living process is taken over after ten minutes: the number may be used again',
      `${process.pid} ${hostname()} x`,
      601_000,
      true,
    ],
    ['without an owner is respected at first', '', 0, false],
    ['without an owner is taken over after ten seconds', '', 11_000, true],
    ['with nonsense in it is taken over after ten seconds', '\u0000{"pid":1}', 11_000, true],
  ])('is judged by its owner and age: one %s', (_, owner, ageMs, isTaken) => {
    const path = locked(owner, ageMs);
    const work = vi.fn<() => void>();
    expect(withLock(path, work)).toBe(isTaken);
    expect(work).toHaveBeenCalledTimes(isTaken ? 1 : 0);
    expect(existsSync(`${path}.lock`)).toBe(!isTaken);
    expect(readdirSync(dirname(path))).toHaveLength(isTaken ? 0 : 1);
  });

  it('is given back if another process took it between the check and the move', () => {
    const path = locked(`${DEAD} ${hostname()} x`, 0);
    watchFile('renameSync').mockImplementationOnce((from, to) => {
      writeFileSync(from, 'a new owner');
      realRename(from, to);
    });
    expect(withLock(path, () => {})).toBe(false);
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe('a new owner');
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it('is not taken if another process was faster', () => {
    const path = locked(`${DEAD} ${hostname()} x`, 0);
    watchFile('renameSync').mockImplementationOnce((from) => {
      realRename(from, `${String(from)}-gone`);
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    });
    expect(withLock(path, () => {})).toBe(false);
  });

  it('tells its holder that it was lost, and is not removed from its new owner', () => {
    const path = temporaryFile();
    withLock(path, (isHeld) => {
      writeFileSync(`${path}.lock`, 'another owner');
      expect(isHeld()).toBe(false);
    });
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe('another owner');
  });

  it('throws the error of the system if it cannot be created', () => {
    expect(() => withLock(join(temporaryFile(), 'none', 'x'), () => {})).toThrow('ENOENT');
    const path = temporaryFile();
    mkdirSync(`${path}.lock`);
    expect(() => withLock(path, () => {})).toThrow(`Expected ${path}.lock to be a regular file.`);
  });
});
