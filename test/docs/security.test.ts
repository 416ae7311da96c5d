import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../tools/planted-faults/faults.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const rows = read('SECURITY.md')
  .split('\n')
  .filter((line) => line.startsWith('| **'));

const threatOf = (row: string): string => /\*\*(.+?)\*\*/.exec(row)?.[1] ?? row;
const filesOf = (row: string): readonly string[] =>
  [...row.matchAll(/\]\((test\/[^)]+)\)/g)].map(([, file = '']) => file);

test('the table of threats is complete', () => {
  expect(rows.length).toBeGreaterThan(25);
  expect(new Set(rows.map((row) => row.split('|').length))).toEqual(new Set([5]));
});

describe('each threat has existing test files', () => {
  test.each(rows.map((row) => [threatOf(row), filesOf(row)] as const))(
    'that SECURITY.md names beside it: %s',
    (_threat, files) => {
      expect(files).not.toEqual([]);
      expect(files.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))).toEqual([]);
    },
  );
});

describe('each planted fault', () => {
  test('finds the guard that it takes away, once', () => {
    const lost = FAULTS.filter(({ file, guard }) => read(file).split(guard).length !== 2);
    expect(lost.map(({ file, guard }) => `${file}: ${guard}`)).toEqual([]);
  });

  test.each(FAULTS)('$file, $threat: is detected by a test file of its threat', ({ threat, test: file }) => {
    expect(rows.filter((row) => threatOf(row) === threat).flatMap(filesOf)).toContain(file);
  });
});
