import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FEATURES, featuresPage } from '../../scripts/list-features.ts';
import { isTitleIn } from './titles.ts';

const page = readFileSync(new URL('../../docs/features.md', import.meta.url), 'utf8');

test('docs/features.md is what the list gives (if not: `node scripts/list-features.ts`)', () => {
  expect(page).toBe(featuresPage());
});

test('the list has each of the 54 rows once, in order', () => {
  expect(FEATURES.map(({ row }) => row)).toEqual(Array.from({ length: 54 }, (_, index) => index + 1));
});

test('a row without a test says why', () => {
  const silent = FEATURES.filter(({ tests, note = '' }) => tests.length === 0 && note === '');
  expect(silent).toEqual([]);
});

describe('the tests that are named exist', () => {
  test.each(FEATURES.map(({ row, name, tests }) => ({ row, name, tests })))('for $row: $name', ({ tests }) => {
    const missing = tests.filter(([file, title]) => !isTitleIn(file, title));
    expect(missing).toEqual([]);
  });
});

test('no row breaks its table', () => {
  const rows = page.split('\n').filter((line) => /^\| \d/.test(line));
  expect(rows).toHaveLength(FEATURES.length);
  expect(new Set(rows.map((row) => row.split(/(?<!\\)\|/).length))).toEqual(new Set([7]));
});
