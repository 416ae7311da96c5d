import fs, { constants, mkdirSync, renameSync, rmdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  appendLine,
  type LineKind,
  LineWriter,
  MAX_LINE_BYTES,
  readLines,
  readRecords,
  withFile,
} from '../../src/report/line-file.ts';
import { linesOf, temporaryDirectory, temporaryFile, watchFile } from './samples.ts';

// Before anything watches it.
const realWrite = fs.writeSync;

function read(path: string, from = 0): { lines: [string, LineKind][]; restAt: number } {
  const lines: [string, LineKind][] = [];
  const restAt = withFile(path, constants.O_RDONLY, (fd) =>
    readLines(fd, from, (bytes, kind) => lines.push([bytes.toString(), kind])),
  );
  return { lines, restAt };
}

describe('appending a line', () => {
  it('creates the directories and a file that only its owner may read, in one write, and returns the size', () => {
    const path = join(temporaryDirectory(), 'a', 'b', 'file.ndjson');
    const writeSync = watchFile('writeSync');
    expect(appendLine(path, '{"a":1}', 'path')).toBe(8);
    expect(appendLine(path, '{"b":2}', 'file')).toBe(16);
    expect(linesOf(path)).toEqual(['{"a":1}', '{"b":2}']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(writeSync).toHaveBeenCalledTimes(2);
  });

  it('makes a file private that was open to others', () => {
    const path = temporaryFile('');
    appendLine(path, 'x', 'path');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('begins a new line after a cut one', () => {
    const path = temporaryFile('torn');
    appendLine(path, 'whole', 'path');
    expect(linesOf(path)).toEqual(['torn', 'whole']);
  });

  it('is repeated in the successor of a file that was replaced meanwhile', () => {
    const path = temporaryFile('old\n');
    watchFile('writeSync').mockImplementationOnce((fd, bytes) => {
      const written = realWrite(fd, Buffer.from(bytes));
      writeFileSync(`${path}.next`, 'new\n');
      renameSync(`${path}.next`, path);
      return written;
    });
    expect(appendLine(path, 'line', 'path')).toBe(9);
    expect(linesOf(path)).toEqual(['new', 'line']);
  });

  it('stays in a file that was renamed meanwhile, if it follows the file', () => {
    const path = temporaryFile('old\n');
    watchFile('writeSync').mockImplementationOnce((fd, bytes) => {
      renameSync(path, `${path}.1`);
      return realWrite(fd, Buffer.from(bytes));
    });
    appendLine(path, 'line', 'file');
    expect(linesOf(`${path}.1`)).toEqual(['old', 'line']);
  });

  it('throws if not all of it could be written', () => {
    const path = temporaryFile();
    watchFile('writeSync').mockImplementationOnce((fd, bytes) => realWrite(fd, Buffer.from(bytes).subarray(0, 3)));
    expect(() => appendLine(path, 'line', 'path')).toThrow('Only 3 of 5 bytes could be written: is the disk full?');
  });

  it('refuses a directory, a link, a path below a file, and a directory that cannot be created', () => {
    const directory = temporaryDirectory();
    const link = join(directory, 'link');
    symlinkSync(temporaryFile('victim\n'), link);
    mkdirSync(join(directory, 'd'));
    expect(() => appendLine(join(directory, 'd'), 'x', 'path')).toThrow('EISDIR');
    expect(() => appendLine(link, 'x', 'path')).toThrow('ELOOP');
    expect(() => appendLine('/dev/null', 'x', 'path')).toThrow('Expected /dev/null to be a regular file.');
    expect(() => appendLine('/proc/none/x', 'x', 'path')).toThrow('ENOENT');
    expect(() => appendLine('', 'x', 'path')).toThrow('ENOENT');
    expect(() => appendLine(join(temporaryFile('a file'), 'x'), 'x', 'path')).toThrow('ENOTDIR');
  });
});

describe('reading lines', () => {
  it('distinguishes lines from an unfinished rest, and returns where that begins', () => {
    const path = temporaryFile('one\n\n\ntwo\nres');
    expect(read(path)).toEqual({
      lines: [
        ['one', 'line'],
        ['two', 'line'],
        ['res', 'rest'],
      ],
      restAt: 10,
    });
    expect(read(path, 6)).toEqual({
      lines: [
        ['two', 'line'],
        ['res', 'rest'],
      ],
      restAt: 10,
    });
    expect(read(temporaryFile(''))).toEqual({ lines: [], restAt: 0 });
  });

  it('reads lines across the edges of its buffer', () => {
    const lines = Array.from({ length: 40 }, (_, index) => String(index).padEnd(30_000, 'x'));
    expect(read(temporaryFile(`${lines.join('\n')}\n`)).lines).toEqual(lines.map((line) => [line, 'line']));
  });

  it('passes a line that is too long on in pieces, and holds no more than a piece', () => {
    const long = 'x'.repeat(3 * MAX_LINE_BYTES);
    const { lines, restAt } = read(temporaryFile(`a\n${long}\nb\n${long}`));
    expect(lines.filter(([, kind]) => kind === 'line')).toEqual([
      ['a', 'line'],
      ['b', 'line'],
    ]);
    expect(lines.map(([text]) => text).join('')).toBe(`a${long}\nb${long}`);
    for (const [text] of lines) expect(text.length).toBeLessThan(2 * MAX_LINE_BYTES);
    expect(restAt).toBeGreaterThan(0);
  });
});

const accepted = (bytes: string | Buffer): { records: unknown[]; damaged: string | undefined } => {
  const records: unknown[] = [];
  const accept = (value: unknown): boolean => {
    const isRecord = typeof value === 'object' && value !== null && 'version' in value;
    if (isRecord) records.push(value);
    return isRecord;
  };
  return { damaged: readRecords(Buffer.from(bytes), accept)?.toString(), records };
};

describe('reading records', () => {
  it.each([
    ['{"version":1,"a":1}', [1], undefined],
    ['{"version":1,"te{"version":1,"a":1}', [1], '{"version":1,"te'],
    ['{"version":1,"a":1}{"version":1,"a":2}', [1, 2], undefined],
    ['x{"version":1,"a":1}{"version":1,', [1], 'x{"version":1,'],
    ['null', [], 'null'],
    ['garbage', [], 'garbage'],
    ['['.repeat(200_000), [], '['.repeat(200_000)],
  ])('finds the complete records in %.40s', (text, values, damaged) => {
    const found = accepted(text);
    expect(found.records).toEqual(values.map((a) => ({ version: 1, a })));
    expect(found.damaged).toBe(damaged);
  });

  it('reads bytes that are not UTF-8 as damage', () => {
    const bytes = Buffer.from('{"version":1,"a":"\u00ff"}', 'latin1');
    expect(accepted(bytes).records).toEqual([]);
  });

  test.prop([fc.json(), fc.nat()])('finds a record after any beginning of another', (json, cut) => {
    const first = `{"version":1,"a":${json}}`;
    const torn = first.slice(0, cut % first.length);
    const { records, damaged } = accepted(`${torn}{"version":1,"b":2}`);
    expect(records).toEqual([{ version: 1, b: 2 }]);
    expect(damaged).toBe(torn === '' ? undefined : Buffer.from(torn).toString());
  });
});

const writerOf = (path: string, maxWaiting: number, onError?: (error: Error) => void): LineWriter =>
  new LineWriter({ path, follow: 'path', maxWaiting, onError });

describe('a writer of lines', () => {
  it('keeps lines that it cannot write, and writes them first when it can', () => {
    const path = temporaryFile();
    const errors: string[] = [];
    const writer = writerOf(path, 10, (error) => errors.push(error.message));
    // In the way: a directory is no file.
    mkdirSync(path);
    expect(writer.write('one')).toBeUndefined();
    expect(writer.write('two')).toBeUndefined();
    expect(writer.waiting).toEqual(['one', 'two']);
    expect(errors).toEqual([expect.stringContaining('EISDIR'), expect.stringContaining('EISDIR')]);
    rmdirSync(path);
    expect(writer.write('three')).toBe(14);
    expect(writer.waiting).toEqual([]);
    expect(linesOf(path)).toEqual(['one', 'two', 'three']);
  });

  it('drops the oldest line if too many wait, and reports that', () => {
    const path = temporaryFile();
    mkdirSync(path);
    const errors: string[] = [];
    const writer = writerOf(path, 2, (error) => errors.push(error.message));
    for (const line of ['one', 'two', 'three']) writer.write(line);
    expect(writer.waiting).toEqual(['two', 'three']);
    expect(errors.at(-1)).toBe(`A line for ${path} is lost: 2 newer ones wait.`);
  });

  it('ignores a listener that throws, and a missing one', () => {
    const path = temporaryFile();
    mkdirSync(path);
    const throwing = writerOf(path, 2, () => {
      throw new Error('listener');
    });
    expect(throwing.write('x')).toBeUndefined();
    expect(writerOf(path, 2).write('x')).toBeUndefined();
  });

  it('reports an error of other work', () => {
    const errors: Error[] = [];
    const writer = writerOf(temporaryFile(), 1, (error) => errors.push(error));
    expect(writer.attempt(() => 7)).toBe(7);
    expect(
      writer.attempt(() => {
        throw 'text';
      }),
    ).toBeUndefined();
    expect(errors).toEqual([new Error('text')]);
  });
});
