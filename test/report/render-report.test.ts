import { expect, it } from 'vitest';
import { renderMarkdown } from '../../src/report/render-markdown.ts';
import { renderReport } from '../../src/report/render-report.ts';
import { renderTerminal } from '../../src/report/render-terminal.ts';
import { sample } from './sample-report.ts';

it('a report is rendered for a terminal of 80 columns without colours, unless told otherwise', () => {
  expect(renderReport(sample, { format: 'terminal' })).toBe(renderTerminal(sample, 80, false));
  expect(renderReport(sample, { format: 'terminal', width: 50, color: true })).toBe(renderTerminal(sample, 50, true));
  expect(renderReport(sample, { format: 'markdown' })).toBe(renderMarkdown(sample));
});

it.each([23, 0, -1, 40.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a width of %d', (width) => {
  expect(() => renderReport(sample, { format: 'terminal', width })).toThrow('Expected `width` to be an integer ≥ 24');
});
