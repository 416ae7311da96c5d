import { describe, expect, test } from 'vitest';
import { fillPage, isAhead, renderResults, renderSection } from '../../../bench/peers/page.ts';
import type { Row, ScenarioResult } from '../../../bench/peers/results.ts';
import type { Scenario } from '../../../bench/peers/scenario.ts';

const spread = (median: number, low: number, high: number) => ({ median, quartiles: { low, high } });

const scenario: Scenario = {
  title: 'Size: how large it is',
  what: 'Counted.',
  columns: { bytes: { title: 'bytes', better: 'lower', overview: 'size, bytes' }, note: { title: 'says | what' } },
  suits: () => true,
  measure: () => Promise.resolve({}),
};

const row = (version: string, bytes: number, note = 'yes'): Row => ({
  version,
  cells: { bytes: { median: bytes }, note },
});

function resultOf(rows: ScenarioResult['rows'], overrides: Partial<ScenarioResult> = {}): ScenarioResult {
  const machine = { node: 'v26.10.0', machine: 'linux x64, 2 cores', load: 0.3, quick: false };
  return { date: '2026-11-21', ...machine, rows, ...overrides };
}

const rows = {
  'bare fetch': row('', 1),
  'retry-transport': row('0.1.0', 5_000),
  ky: row('2.1.0', 900),
  openai: row('7.0.0', 86_000),
};

describe('the page', () => {
  test.each(['no markers', '<!-- end -->\n<!-- begin: written by npm run bench -->'])('is refused as %j', (page) => {
    expect(() => fillPage(page, 'new')).toThrow('Expected the page to have');
  });
});

describe('a section', () => {
  test('shows which subjects failed, and why', () => {
    const section = renderSection(
      { scenario, result: resultOf({ ky: { version: '2.1.0', failed: 'expected 3, got 4' } }) },
      false,
    );
    expect(section).toContain('| ky | failed | failed |');
    expect(section).toContain('ky failed: expected 3, got 4.');
  });
});

describe('all sections', () => {
  const render = (results: Record<string, ScenarioResult>): string =>
    renderResults(
      results,
      new Map([
        ['size', scenario],
        ['again', { ...scenario, title: 'Again: the same' }],
      ]),
    );

  test('name the run of each section if they come from different runs, and which of them was quick', () => {
    const text = render({ size: resultOf(rows), again: resultOf(rows, { date: '2026-12-01', quick: true }) });
    expect(text).toContain('Taken on 2026-11-21 with Node v26.10.0, linux x64, 2 cores. Load average 0.3.');
    expect(text).toContain('Taken on 2026-12-01 with Node v26.10.0, linux x64, 2 cores. A quick run:');
  });
});

describe('the list of packages that are ahead of us', () => {
  test.each([
    ['has the smaller quartile outside of ours', spread(1, 0.9, 1.1), spread(1.3, 1.2, 1.4), 'lower', true],
    ['overlaps with us: not', spread(1, 0.9, 1.25), spread(1.3, 1.2, 1.4), 'lower', false],
    ['is behind us: not', spread(1.3, 1.2, 1.4), spread(1, 0.9, 1.1), 'lower', false],
    ['has more of what is good', spread(1.3, 1.2, 1.4), spread(1, 0.9, 1.1), 'higher', true],
    ['is smaller by more than the noise', { median: 62 }, { median: 70 }, 'lower', true],
    ['is smaller by less: not', { median: 62 }, { median: 63 }, 'lower', false],
    ['has nothing where we have nothing: not', { median: 0 }, { median: 0 }, 'lower', false],
    ['has another figure where none is better: not', { median: 1 }, { median: 9 }, undefined, false],
  ] as const)(
    'whether a package is ahead is decided by its values and ours: one that %s',
    (_title, theirs, ours, better, expected) => {
      expect(isAhead(theirs, ours, better === undefined ? { title: '' } : { title: '', better })).toBe(expected);
    },
  );
});
