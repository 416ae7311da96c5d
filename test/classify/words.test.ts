import { expect, test } from 'vitest';
import * as programs from '../../src/classify/words/programs.ts';
import * as refusals from '../../src/classify/words/refusals.ts';
import * as sentences from '../../src/classify/words/sentences.ts';
import * as shortTexts from '../../src/classify/words/short-texts.ts';

/** All strings and patterns of a table, however it nests them. */
function patternsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof RegExp) return [value.source];
  if (typeof value === 'function') return patternsIn((value as () => unknown)());
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(patternsIn) : [];
}

const withoutClasses = (pattern: string): string => pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');

test.each(Object.entries({ programs, refusals, sentences, shortTexts }))(
  'every repetition in %s has an upper limit, so that no text takes long to read',
  (_, tables) => {
    const patterns = patternsIn({ ...tables });
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((pattern) => /[*+]|\{\d+,\}/.test(withoutClasses(pattern)))).toEqual([]);
  },
);
