import { expect, test } from 'vitest';
import { phrasesOf } from '../../scripts/phrases.ts';
import * as rulebook from '../../src/classify/generated-rulebook.ts';
import { normalise } from '../../src/classify/envelope.ts';
import { Phrases } from '../../src/classify/phrases.ts';
import { wordsOf } from '../../src/classify/prose.ts';
import { readCases } from '../../tools/accuracy/sample.ts';
import { oneIn } from '../thorough.ts';

const tableOf = (sources: Readonly<Record<string, string>>, flags?: string): Phrases<string> =>
  new Phrases(
    Object.fromEntries(Object.entries(sources).map(([shows, source]) => [shows, phrasesOf([source])])),
    flags,
  );

test.each([
  ['plain text', 'too many', 'there are too many of them'],
  ['a letter that may be missing', 'limits? reached', 'the limit reached'],
  ['a group that may be missing', 'rate( limit)? reached', 'rate reached'],
  ['a group in which every alternative is text', '(rate|usage) (hit|over)', 'usage over'],
  ['a group whose alternatives are nested', '(no(thing)?|a (few|lot)) x', 'a lot x'],
  ['letters that repeat', 'a{2}b+ c{0,2}d', 'aabbb d'],
  ['what stands before the match', '(?<=model )gone|(?<!never )lost', 'model gone'],
  ['what must not follow', 'bad(?! luck)', 'bad day'],
  ['escapes', '\\x28\\d{1,3}\\x29 \\bms\\b', '(12) ms'],
  ['classes of brackets', '[({[]x[^\\]]y', '{xzy'],
  ['letters of other scripts', '余额|额度不足', '您的额度不足'],
  ['nothing but classes', '\\d\\d', 'on 42nd'],
])('a table finds %s', (_what, source, text) => {
  expect(text).toMatch(new RegExp(source));
  expect(tableOf({ it: source }).find(text)).toBe('it');
  expect(tableOf({ it: source }).find('')).toBeUndefined();
});

test('the first row that matches counts, or the one that matches at the first place', () => {
  const table = tableOf({ late: 'world', early: 'hello|wor' });
  expect(table.find('hello world')).toBe('late');
  expect(table.findFirst('hello world')).toBe('early');
  expect(table.find('hello world', (shows) => shows !== 'late')).toBe('early');
  expect(table.without('hello wide world')).toBe('  wide  ');
});

test('case is ignored where the flags say so', () => {
  expect(tableOf({ it: 'Bad Gateway' }, 'i').isIn('502 BAD gateway')).toBe(true);
  expect(tableOf({ it: 'bad gateway' }).isIn('502 BAD gateway')).toBe(false);
});

/** The tables of the rulebook, and the pattern of all their rows. */
const TABLES = Object.entries(rulebook)
  .flatMap(([name, table]): [string, string][] => {
    if (['HARMLESS', 'HEADS', 'HEADERS', 'SIGNATURES'].includes(name)) return [];
    if (typeof table === 'string') return [[name, table]];
    return Object.entries(table).flatMap(([of, rows]: [string, unknown]): [string, string][] =>
      typeof rows === 'string' ? [[`${name}.${of}`, rows]] : Object.entries(rows as Record<string, string>),
    );
  })
  .filter(([, source]) => source.includes('~'));

test('every table of the rulebook finds what its patterns find', () => {
  const texts = (['eighth', 'twenty-second'] as const)
    .flatMap((sample) => (['texts', 'responses', 'programs'] as const).flatMap((kind) => readCases(sample, kind)))
    .flatMap(({ text }) => [normalise(text), wordsOf(text.slice(0, 2_000))]);
  expect(texts.length).toBeGreaterThan(500);
  expect(TABLES.length).toBeGreaterThan(50);
  const drawn = oneIn(3, texts);
  const missed = TABLES.flatMap(([name, source]) => {
    const table = new Phrases({ it: source });
    const pattern = new RegExp(source.replaceAll('~', '|').replace(/[`#]/g, ''));
    return drawn.filter((text) => table.isIn(text) !== pattern.test(text)).map((text) => [name, text]);
  });
  expect(missed).toEqual([]);
});
