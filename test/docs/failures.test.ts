import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recordings } from '../../mocks/recordings.ts';
import { failuresPage } from '../../scripts/list-failures.ts';

const page = readFileSync(new URL('../../docs/failures.md', import.meta.url), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| ['));

test('docs/failures.md matches the recordings and the code (if not: `node scripts/list-failures.ts`)', () => {
  expect(page).toBe(failuresPage());
});

test('each recording has one row, with a type that is accepted for it', () => {
  const types = new Map(
    rows.map((row) => /^\| \[(.+?)\].*?\| `(\w+)` \|/.exec(row) ?? []).map(([, name, type]) => [name, type]),
  );
  expect(rows).toHaveLength(Object.keys(recordings).length);
  for (const [name, { expected }] of Object.entries(recordings)) {
    expect([expected.type, ...(expected.alsoAcceptable ?? [])]).toContain(types.get(name));
  }
});

test('no row breaks its table', () => {
  const cells = rows.map((row) => row.split(/(?<!\\)\|/).length);
  expect(new Set(cells)).toEqual(new Set([9]));
});
