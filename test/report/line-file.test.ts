import { existsSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { LineFile, readLines } from '../../src/report/line-file.ts';
import { temporaryDirectory, temporaryFile, watchFile } from './samples.ts';

const open = (path: string, options = {}): LineFile =>
  new LineFile({ path, maxFiles: 3, maxWaiting: 2, onError: undefined, ...options });

describe('a file of lines', () => {
  it('is created with its directories, private, and returns its size', () => {
    const path = join(temporaryDirectory(), 'a', 'b', 'file.ndjson');
    expect([open(path).write('one'), open(path).write('two')]).toEqual([4, 8]);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is made private if it was open to others', () => {
    const path = temporaryFile('old\n');
    open(path).write('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('begins a new line after a cut one', () => {
    const path = temporaryFile('cut');
    open(path).write('new');
    expect([...readLines(path).newestFirst]).toEqual(['new', 'cut']);
    expect(readLines(path).isTorn).toBe(false);
  });

  it('is neither a directory nor a link', () => {
    const directory = temporaryDirectory();
    const target = temporaryFile('x\n');
    symlinkSync(target, join(directory, 'link'));
    const onError = vi.fn<(error: Error) => void>();
    for (const path of [directory, join(directory, 'link')])
      expect(open(path, { onError }).write('line')).toBeUndefined();
    expect(onError).toHaveBeenCalledTimes(2);
    expect(readFileSync(target, 'utf8')).toBe('x\n');
  });

  it('leaves no rejection of `onError` unhandled', () => {
    const onError = (): unknown => Promise.reject(new Error('No log.'));
    expect(open(temporaryDirectory(), { onError }).write('line')).toBeUndefined();
  });

  it('keeps the lines that it cannot write, drops the oldest, and writes them first when it can', () => {
    const path = temporaryFile();
    const onError = vi.fn<(error: Error) => void>(() => {
      throw new Error('ignored');
    });
    const file = open(path, { onError });
    watchFile('writeSync')
      .mockImplementationOnce(() => 1)
      .mockImplementationOnce(() => 1)
      .mockImplementationOnce(() => 1);
    for (const line of ['a', 'b', 'c']) file.write(line);
    expect(file.waiting).toEqual(['b', 'c']);
    expect(onError.mock.calls.map(([error]) => error.message)).toContainEqual(expect.stringContaining('is lost'));
    file.write('d');
    expect(file.waiting).toEqual([]);
    expect([...readLines(path).newestFirst]).toEqual(['d', 'c', 'b']);
  });

  it.each([0, 4_000_000_000])('takes over the lock of a process that died at second %i', (second) => {
    const path = temporaryFile('x\n');
    writeFileSync(`${path}.lock`, '');
    const file = open(path);
    file.rotate(1);
    expect(existsSync(`${path}.1`)).toBe(false);
    utimesSync(`${path}.lock`, second, second);
    file.rotate(1);
    file.rotate(1);
    expect(existsSync(`${path}.1`)).toBe(true);
    writeFileSync(path, 'y');
    expect([...readLines(path).newestFirst]).toEqual(['y', 'x']);
    expect(readLines(path).isTorn).toBe(true);
  });
});
