import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MODULES } from '../../tools/mutation/modules.ts';
import { pageWith, readmeWith, rowsIn, scoreOf, type Row } from '../../tools/mutation/page.ts';

const page = readFileSync(new URL('../../docs/mutation.md', import.meta.url), 'utf8');
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const rows = rowsIn(page);

describe('docs/mutation.md', () => {
  test('has a row for each module, in order', () => {
    expect(rows.map(({ module }) => module)).toEqual(MODULES.map(({ name }) => name));
  });

  test('has the scores and the sum that its counts give', () => {
    expect(pageWith(page, rows)).toBe(page);
  });

  test.each(rows)('$module has 85 of 100 noticed, or more', (row) => {
    expect(scoreOf(row)).toBeGreaterThanOrEqual(85);
  });
});

test('the README says of the scores what the page says (if not: `npm run mutation`)', () => {
  expect(readmeWith(readme, rows)).toBe(readme);
});

describe('a page', () => {
  const markers = 'before\n<!-- mutation:start -->\nold\n<!-- mutation:end -->\nafter';
  const row: Row = {
    module: 'decide',
    killed: 168,
    timedOut: 1,
    survived: 29,
    uncovered: 1,
    unloadable: 7,
    date: '2026-11-21',
  };

  test('gives back the rows that were written into it, and keeps what is around them', () => {
    const written = pageWith(markers, [row, { ...row, module: 'gate' }]);
    expect(rowsIn(written)).toEqual([row, { ...row, module: 'gate' }]);
    expect(written).toMatch(/^before\n[^]*\nafter$/);
    expect(written).not.toContain('old');
  });

  test('counts a timeout as noticed, what no test reaches as not, and rounds no score up', () => {
    expect(scoreOf(row)).toBeCloseTo(84.92, 2);
    expect(pageWith(markers, [row])).toContain('| `decide` | 84.9 % |');
  });

  test('without its markers is refused by their name', () => {
    expect(() => rowsIn('no markers')).toThrow('<!-- mutation:start -->');
  });
});
