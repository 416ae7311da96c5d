import { expect, it } from 'vitest';
import { instantText, sectionsOf, titleOf } from '../../src/report/report-sections.ts';
import { AT, attempt, report } from './sample-events.ts';
import { sample } from './sample-report.ts';

const titlesOf = (given = sample): readonly string[] => sectionsOf(given).map(({ title }) => title);

it('a report has its sections in the order in which a person asks', () => {
  expect(titlesOf()).toEqual(['What happened', 'Required actions', 'What was tried', 'Where']);
  expect(titlesOf({ ...sample, body: '{}' }).at(-1)).toBe('Answer');
});

it('a section without contents is left out, and so is an item', () => {
  expect(titlesOf({ ...sample, body: ' ', recovery: { ...sample.recovery, actions: [] } })).not.toContain(
    'Required actions',
  );
  expect(sectionsOf({ ...sample, explanation: '' })[0]?.items).toHaveLength(2);
});

it('a failure without a response has no status, provider or code among its facts', () => {
  const failure = {
    type: 'connection_error',
    retryable: true,
    category: 'retryable',
    message: 'reset',
    phase: 'connect',
  } as const;
  const history = [attempt(1, { failure, because: null }), attempt(2, { failure, delayMs: null })];
  const sections = sectionsOf(report('r', { failure, history }));
  const factsOf = (title: string): Record<string, string> =>
    Object.fromEntries(
      sections
        .filter((section) => section.title === title)
        .flatMap(({ items }) => items.flatMap((item) => (item.kind === 'fact' ? [[item.name, item.value]] : []))),
    );
  expect(Object.keys(factsOf('Where'))).toEqual(['request', 'failed at', 'request id', 'report id']);
  expect(factsOf('What was tried')).toEqual({
    'attempt 1': 'connection_error, took 200ms, then 800ms',
    'attempt 2': 'connection_error, took 200ms',
  });
});

it('a title says what failed, and whether it is resolved', () => {
  expect(titleOf(sample)).toBe('quota exhausted');
  expect(titleOf({ ...sample, resolvedAt: AT })).toBe('quota exhausted (resolved)');
});

it('an instant is shown to the second, also the first and the last that there are', () => {
  expect(instantText(AT)).toBe('2027-01-15 08:00:00 UTC');
  expect(instantText(0)).toBe('1970-01-01 00:00:00 UTC');
  expect(instantText(8.64e15)).toMatch(/UTC$/);
});
