import { describe, expect, it } from 'vitest';
import { plannedRetries, sourceOf } from '../../../src/cli/schedule/schedule.ts';
import { scheduleLines, summaryOf } from '../../../src/cli/schedule/schedule-lines.ts';
import { presets, type RetryConfig } from '../../../src/index.ts';

const planned = (config: RetryConfig) => plannedRetries(sourceOf(config));
const linesOf = (config: RetryConfig, columns = 80): string[] =>
  scheduleLines('agent', planned(config), { columns, colour: false, keys: false });

describe('summaryOf', () => {
  it.each([
    ['21 retries, 7h 31m 45s of waiting in all', presets.patient],
    ['1 retry, 2s of waiting in all', { ...presets.agent, maxRetries: 1 }],
    ['3 retries, 7s of waiting in all, with jitter 5.6s to 8.4s', presets.standard],
    ['no retries: a failure is returned at once', { maxRetries: 0 }],
  ])('says %j', (words, config) => {
    expect(summaryOf(planned(config))).toBe(words);
  });
});

describe('scheduleLines', () => {
  it('show the summary, the table and the plot', () => {
    const lines = linesOf(presets.agent);
    expect(lines.slice(0, 7)).toEqual([
      'agent: 3 retries, 14s of waiting in all',
      '',
      'retry  wait  in all',
      '    1  2s    2s',
      '    2  4s    6s',
      '    3  8s    14s',
      '',
    ]);
    expect(lines[7]).toMatch(/^8s ┤/);
    expect(lines.at(-1)).toBe('A wait that the server asks for is used instead of the one in the table.');
  });

  it('show the range of jitter, and leave it to the plot if the table has no room', () => {
    expect(linesOf(presets.standard)).toContain('    3  4s    7s      3.2s to 4.8s');
    const narrow = linesOf(presets.standard, 30);
    expect(narrow).toContain('    3  4s    7s');
    expect(narrow.join(' ')).toContain('The shaded part is where');
    for (const line of narrow) expect(line.length).toBeLessThanOrEqual(30);
  });

  it('show nothing else if there are no retries', () => {
    expect(linesOf({ maxRetries: 0 })).toEqual(['agent: no retries: a failure is returned at once']);
  });
});
