/**
 * Writes src/classify/generated-rulebook.ts: the tables of all providers in the form in which they are searched, so that a program
 * loads neither the tables nor the code that joins them. Run `npm run pages` after changing a table; a test compares.
 */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMMON, PASSING as PASSING_WORDS } from '../src/classify/common.ts';
import * as network from '../src/classify/words/network.ts';
import * as programs from '../src/classify/words/programs.ts';
import * as prose from '../src/classify/words/prose.ts';
import type { Family, Row, Sources, TypedRows } from '../src/classify/family.ts';
import { PROVIDERS } from '../src/classify/providers.ts';
import { phrasesOf } from './phrases.ts';
import { failureTypes } from '../src/failure/failure.ts';

/** The tables of the rulebook, by the names of its exports. */
export function tablesOf(providers: Readonly<Record<string, Family>>) {
  const families = [...Object.values(providers), COMMON];
  const named = (name: 'headers' | 'signature'): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(providers).flatMap(([provider, family]) =>
        family[name] === undefined ? [] : [[provider, family[name]]],
      ),
    );
  const rows = (name: Layer): readonly Row[] => families.flatMap((family) => family[name] ?? []);
  return {
    HEADERS: named('headers'),
    SIGNATURES: named('signature'),
    CODES: {
      decisive: codesIn(rows('decisive')),
      usual: codesIn(rows('usual')),
      vague: codesIn(rows('vague')),
    },
    TEXTS: {
      decisive: textsIn(rows('decisive')),
      anyStatus: textsIn(rows('anyStatus')),
      permanent: textsIn(rows('permanent')),
      general: textsIn(rows('general')),
      usual: textsIn(rows('usual')),
    },
    PASSING: phrasesOf([PASSING_WORDS.replaceAll(' ', '')]),
    ALONE_TEXTS: textsIn(rows('alone')),
  };
}

type Layer = 'decisive' | 'anyStatus' | 'permanent' | 'general' | 'usual' | 'vague' | 'alone';

/** The patterns of names, one for each type. A name may be followed by `@` and its statuses. */
function codesIn(rows: readonly Row[]): Sources {
  return Object.fromEntries(
    failureTypes().flatMap((type) => {
      const names = rows
        .filter(([each]) => each === type)
        .flatMap(([, , codes]) => codes?.toLowerCase().replaceAll('_', '').split(' ') ?? []);
      return names.length === 0 ? [] : [[type, phrasesOf(names)]];
    }),
  );
}

/** The patterns of texts, one for each type. */
function textsIn(rows: readonly Row[]): Sources {
  return Object.fromEntries(
    failureTypes().flatMap((type) => {
      const texts = rows.flatMap(([each, text]) => (each === type && text !== '' ? [text] : []));
      return texts.length === 0 ? [] : [[type, phrasesOf(texts.map((text) => text.replaceAll(' ', '')))]];
    }),
  );
}

/** The tables of prose, by their names in `words/`. */
function proseOf(words: Words): Readonly<Record<string, string | Sources>> {
  return Object.fromEntries(
    // In an order that does not depend on what loads the modules.
    Object.entries(words)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, rows]) => [
        name,
        typeof rows === 'string'
          ? rows
          : isTyped(rows)
            ? Object.fromEntries(rows.map(([type, sources]) => [type, phrasesOf(sources)]))
            : phrasesOf(rows),
      ]),
  );
}

/** What the files of `words/` export: rows of patterns, some by what they show, or one pattern. */
export type Words = Readonly<Record<string, string | Rows | readonly TypedRows[]>>;
type Rows = readonly string[];

const isTyped = (rows: Rows | readonly TypedRows[]): rows is readonly TypedRows[] => typeof rows[0] !== 'string';

export const readWords = (): Words => ({ ...network, ...programs, ...prose });

/** The text of the rulebook. */
export function rulebookText(words: Words): string {
  const { HEADERS, SIGNATURES, CODES, TEXTS, PASSING, ALONE_TEXTS } = tablesOf(PROVIDERS);
  return `/**
 * The tables of \`providers.ts\`, \`common.ts\` and \`words/\` in the form in which they are searched. \`npm run pages\` writes
 * this file.
 */

import type { Sources } from './family.ts';

export const HEADERS: Readonly<Record<string, string>> = ${literal(HEADERS)};
export const SIGNATURES: Readonly<Record<string, string>> = ${literal(SIGNATURES)};
export const CODES: Readonly<Record<'decisive' | 'usual' | 'vague', Sources>> = ${literal(CODES)};
export const TEXTS: Readonly<Record<'decisive' | 'anyStatus' | 'permanent' | 'general' | 'usual', Sources>> = ${literal(TEXTS)};
export const PASSING =
  ${literal(PASSING)};
export const ALONE_TEXTS: Sources = ${literal(ALONE_TEXTS)};
/** Prose, which only the texts of operations are searched for. */
${Object.entries(proseOf(words))
  .map(([name, table]) => `export const ${name}${typeof table === 'string' ? '' : ': Sources'} = ${literal(table)};\n`)
  .join('')}`;
}

/** A value as TypeScript; an object in one line, because the file is for programs. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return `'${String(value).replace(/[\\']/g, String.raw`\$&`)}'`;
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${name}: ${literal(member)}`)
    .join(', ')} }`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../src/classify/generated-rulebook.ts', import.meta.url), rulebookText(readWords()));
}
