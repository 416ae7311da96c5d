import { describe, expect, test } from 'vitest';
import { disagreements, type Row, withTable } from '../runtimes-table.ts';

const passed = { name: 'holds' };
const failed = { name: 'holds not', error: 'Expected 1, got 2.' };

function row(name: string, version: string, ...checks: readonly (typeof passed | typeof failed)[]): Row {
  return { name, isPinned: name !== 'Chromium', report: { version, checks } };
}

const empty = 'Before.\n\n<!-- runtimes:start -->\n<!-- runtimes:end -->\n\nAfter.\n';
const rows = [row('Node 22', '22.23.3', passed, passed), row('Chromium', '156.0', passed, passed)];
const written = withTable(empty, rows);

test('the table is written between the markers, and the rest stays', () => {
  expect(written).toBe(`Before.

<!-- runtimes:start -->
| runtime | version | checks passed |
| --- | --- | ---: |
| Node 22 | 22.23.3 | 2 of 2 |
| Chromium | 156.0 | 2 of 2 |
<!-- runtimes:end -->

After.
`);
});

test('writing it again changes nothing', () => {
  expect(withTable(written, rows)).toBe(written);
});

test('a runtime that was left out keeps its row', () => {
  const leftOut: Row = { name: 'Chromium', isPinned: false, report: undefined };
  expect(withTable(written, [row('Node 22', '22.23.3', passed, passed), leftOut])).toBe(written);
});

test('a file without the markers is refused', () => {
  expect(() => withTable('Nothing.', rows)).toThrow('docs/installing.md needs the lines');
});

describe('the table agrees', () => {
  test('with what it was written from', () => {
    expect(disagreements(written, rows)).toEqual([]);
  });

  test('when a runtime was left out', () => {
    expect(disagreements(written, [{ name: 'Chromium', isPinned: false, report: undefined }])).toEqual([]);
  });

  test('when a runtime whose version is not pinned has another one', () => {
    expect(disagreements(written, [row('Chromium', '157.1', passed, passed)])).toEqual([]);
  });
});

describe('the table does not agree', () => {
  test.each([
    ['a pinned runtime has another version', row('Node 22', '22.24.0', passed, passed)],
    ['there are more checks', row('Chromium', '156.0', passed, passed, passed)],
    ['a check fails', row('Node 22', '22.23.3', passed, failed)],
    ['a runtime has no row', row('Bun', '1.4.5', passed)],
  ])('when %s', (_, other) => {
    expect(disagreements(written, [other])).toEqual([expect.stringContaining(other.name)]);
  });
});
