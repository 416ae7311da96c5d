import { mkdirSync, rmdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LineWriter } from '../../src/report/line-writer.ts';
import { linesOf, temporaryFile } from './samples.ts';

const writerOf = (path: string, maxWaiting: number, onError?: (error: Error) => void): LineWriter =>
  new LineWriter({ path, follow: 'path', maxWaiting, onError });

describe('a writer of lines', () => {
  it('keeps what it cannot write and writes it first when it can', () => {
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

  it('gives up the oldest line when too many wait, and says so', () => {
    const path = temporaryFile();
    mkdirSync(path);
    const errors: string[] = [];
    const writer = writerOf(path, 2, (error) => errors.push(error.message));
    for (const line of ['one', 'two', 'three']) writer.write(line);
    expect(writer.waiting).toEqual(['two', 'three']);
    expect(errors.at(-1)).toBe(`A line for ${path} is lost: 2 others wait already.`);
  });

  it('survives a listener that throws, and having none', () => {
    const path = temporaryFile();
    mkdirSync(path);
    const throwing = writerOf(path, 2, () => {
      throw new Error('listener');
    });
    expect(throwing.write('x')).toBeUndefined();
    expect(writerOf(path, 2).write('x')).toBeUndefined();
  });

  it('turns an error of other work into a message', () => {
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
