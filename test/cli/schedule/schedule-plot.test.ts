import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { plannedRetries, sourceOf } from '../../../src/cli/schedule/schedule.ts';
import { plotLines } from '../../../src/cli/schedule/schedule-plot.ts';
import { presets, stepped } from '../../../src/index.ts';

const LOOK = { columns: 80, colour: false };
const standard = plannedRetries(sourceOf(presets.standard));

describe('plotLines', () => {
  it('draws a bar for each retry, solid up to the shortest wait and shaded up to the longest', () => {
    expect(plotLines(standard, LOOK)).toEqual([
      '6s ┤',
      '   │',
      '   │          ░░░░',
      '   │          ▒▒▒▒',
      '4s ┤          ░░░░',
      '   │          ░░░░',
      '   │          ████',
      '   │     ▒▒▒▒ ████',
      '2s ┤     ░░░░ ████',
      '   │     ████ ████',
      '   │████ ████ ████',
      '   │████ ████ ████',
      '0s └───────────────',
      '    1    2    3',
    ]);
  });

  it('shows a wait that is short next to the others, but not one of 0', () => {
    const retries = plannedRetries(sourceOf({ backoff: stepped([0, 1, 60_000], { tailMs: null }) }));
    expect(plotLines(retries, LOOK)[11]).toBe('    │     ▁▁▁▁ ████');
    expect(plotLines(plannedRetries(sourceOf({ backoff: stepped([0], { maxRetries: 3 }) })), LOOK)).toEqual([]);
    expect(plotLines([], LOOK)).toEqual([]);
  });

  it.each([20, 40, 80])('keeps within %i columns', (columns) => {
    for (const maxRetries of [1, 7, 21, 400]) {
      const retries = plannedRetries(sourceOf({ backoff: stepped([1_000, 5_400_000]), maxRetries }));
      for (const line of plotLines(retries, { columns, colour: false }))
        expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  it('numbers the retries at equal distances if not all numbers fit', () => {
    const retries = plannedRetries(sourceOf({ backoff: stepped([1_000]), maxRetries: 30 }));
    expect(plotLines(retries, { columns: 40, colour: false }).at(-1)).toBe('       1  4  7  10 13 16 19 22 25 28');
    expect(plotLines(retries, { columns: 22, colour: false }).at(-1)).toBe('       2  8  14 20 26');
  });

  it('is the same with and without colour', () => {
    const coloured = plotLines(standard, { columns: 80, colour: true });
    expect(coloured.join('\n')).toContain('\u001B[33m');
    expect(coloured.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual(plotLines(standard, LOOK));
  });
});
