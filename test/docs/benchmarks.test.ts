import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillPage, renderResults } from '../../bench/peers/page.ts';
import { readResults } from '../../bench/peers/results.ts';
import { SCENARIOS } from '../../bench/peers/scenarios.ts';
import { SUBJECT_NAMES } from '../../bench/peers/subjects.ts';

const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');

test('docs/benchmarks.md matches the kept results (if not: `node bench/peers/run.ts --page`)', () => {
  expect(page).toBe(fillPage(page, renderResults(readResults(), SCENARIOS)));
});

test('every scenario was run with every subject that supports it, and none failed', () => {
  const results = readResults();
  expect(Object.keys(results)).toEqual([...SCENARIOS.keys()]);
  const seen = new Set<string>();
  for (const { rows, quick } of Object.values(results)) {
    expect(quick).toBe(false);
    for (const [name, row] of Object.entries(rows)) {
      seen.add(name);
      expect(row).not.toHaveProperty('failed');
    }
  }
  expect(seen).toEqual(new Set(SUBJECT_NAMES));
});
