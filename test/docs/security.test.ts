import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isTitleIn } from './titles.ts';

const page = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| **'));

const proofsIn = (row: string): readonly (readonly [title: string, file: string])[] =>
  [...row.matchAll(/\[([^\]]+)\]\(test\/([^)]+)\)/g)].map(([, title = '', file = '']) => [title, file] as const);

test('there are threats, in a table that is whole', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(new Set(rows.map((row) => row.split('|').length))).toEqual(new Set([5]));
});

describe('each threat has a test, and it exists', () => {
  test.each(rows.map((row) => [/\*\*(.+?)\*\*/.exec(row)?.[1] ?? row, proofsIn(row)] as const))(
    '%s',
    (_threat, proofs) => {
      expect(proofs).not.toEqual([]);
      expect(proofs.filter(([title, file]) => !isTitleIn(file, title))).toEqual([]);
    },
  );
});
