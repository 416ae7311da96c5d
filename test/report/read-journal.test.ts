import { chmodSync, linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readJournal, RunJournal } from '../../src/report/index.ts';
import { failedEvent, linesOf, retryEvent, temporaryFile } from './samples.ts';

const line = (number: number): string => {
  const path = temporaryFile();
  new RunJournal(path).listener(retryEvent(number));
  return linesOf(path)[0] ?? '';
};

const attemptsOf = (path: string, options = {}): readonly unknown[] =>
  readJournal(path, options).entries.map((entry) => (entry.kind === 'attempt' ? entry.attempt : entry.kind));

describe('reading a journal', () => {
  it('finds nothing without a file', () => {
    expect(readJournal(temporaryFile())).toEqual({ entries: [], runs: [], damagedLines: 0, isTorn: false });
  });

  it('counts damage, skips it, and recognises a cut end', () => {
    const path = temporaryFile(`${line(1)}\ngarbage\n\u0000\n{"version":9}\n${line(2)}\n{"versi`);
    const reading = readJournal(path);
    expect(attemptsOf(path)).toEqual([1, 2]);
    expect(reading.damagedLines).toBe(3);
    expect(reading.isTorn).toBe(true);
  });

  it.each([
    ['of record starts', '{"version":1,"callId":"a"}\n'],
    ['of empty objects', '{}\n'],
    ['without an end', '{"version":1,"callId":"a","kind":'],
  ])('reads 50 MB of lines %s soon, and what was written after them', { retry: 2 }, (_what, text) => {
    const path = temporaryFile(`${text.repeat(50_000_000 / text.length)}\n${line(1)}\n`);
    const start = process.cpuUsage();
    const { entries, damagedLines } = readJournal(path);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(3_000);
    expect([entries.length, damagedLines > 0]).toEqual([1, true]);
  });

  it('accepts a last line without its newline', () => {
    const path = temporaryFile(`${line(1)}\n${line(2)}`);
    expect(attemptsOf(path)).toEqual([1, 2]);
    expect(readJournal(path).isTorn).toBe(false);
  });

  it('begins with the oldest file, and reads a file once even if it appears twice', () => {
    const path = temporaryFile(`${line(4)}\n`);
    writeFileSync(`${path}.2`, `${line(1)}\n${line(2)}\n{"torn`);
    writeFileSync(`${path}.1`, `${line(3)}\n`);
    expect(attemptsOf(path)).toEqual([1, 2, 3, 4]);
    expect(readJournal(path)).toMatchObject({ damagedLines: 1, isTorn: false });
    const rotated = temporaryFile(`${line(1)}\n`);
    linkSync(rotated, `${rotated}.1`);
    expect(attemptsOf(rotated)).toEqual([1]);
  });

  it('reads the older files if the current one has just been renamed', () => {
    const path = temporaryFile();
    writeFileSync(`${path}.1`, `${line(1)}\n`);
    expect(attemptsOf(path)).toEqual([1]);
  });

  it('continues after the gap that a rotation leaves if its process is killed', () => {
    const path = temporaryFile(`${line(3)}\n`);
    writeFileSync(`${path}.2`, `${line(2)}\n`);
    writeFileSync(`${path}.3`, `${line(1)}\n`);
    expect(attemptsOf(path)).toEqual([1, 2, 3]);
    new RunJournal(path, { maxBytes: 1, maxFiles: 4 }).listener(retryEvent(4));
    expect(attemptsOf(path)).toEqual([1, 2, 3, 4]);
  });

  it('keeps the newest entries', () => {
    const path = temporaryFile([1, 2, 3, 4, 5, 6, 7, 8].map((number) => `${line(number)}\n`).join(''));
    writeFileSync(`${path}.1`, `${line(0)}\n`);
    expect(attemptsOf(path, { maxEntries: 3 })).toEqual([6, 7, 8]);
    expect(() => readJournal(path, { maxEntries: 0 })).toThrow('Expected `maxEntries` to be an integer ≥ 1, got 0.');
  });

  it('returns a call whose process ended first as one without an outcome', () => {
    const path = temporaryFile();
    const journal = new RunJournal(path);
    journal.listener(retryEvent(1, { callId: 'killed' }));
    journal.listener(failedEvent());
    const { runs } = readJournal(path);
    expect(runs.map(({ callId, outcome }) => [callId, outcome?.because ?? null])).toEqual([
      ['killed', null],
      ['request-1', 'retries-exhausted'],
    ]);
  });

  it('throws for a file that cannot be read', () => {
    const path = temporaryFile();
    mkdirSync(path);
    chmodSync(path, 0o700);
    expect(() => readJournal(path)).toThrow(/regular file|EISDIR/);
  });
});
