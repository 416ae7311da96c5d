import { expect, test } from 'vitest';
import * as network from '../../src/classify/words/network.ts';
import * as programs from '../../src/classify/words/programs.ts';
import * as prose from '../../src/classify/words/prose.ts';

/** All strings of a table, however it nests them. */
function patternsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(patternsIn) : [];
}

const withoutClasses = (pattern: string): string => pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');

test.each(Object.entries({ network, programs, prose }))(
  'every repetition in %s has an upper limit, so that no text takes long to read',
  (_, tables) => {
    const patterns = patternsIn({ ...tables });
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((pattern) => /[*+]|\{\d+,\}/.test(withoutClasses(pattern)))).toEqual([]);
  },
);
