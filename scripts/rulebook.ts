/**
 * Writes src/classify/generated-rulebook.ts: the tables of all providers in the form in which they are searched, so that a program
 * loads neither the tables nor the code that joins them. Run `npm run pages` after changing a table; a test compares.
 */

import { readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMMON, PASSING as PASSING_WORDS } from '../src/classify/common.ts';
import * as network from '../src/classify/words/network.ts';
import * as programs from '../src/classify/words/programs.ts';
import * as refusals from '../src/classify/words/refusals.ts';
import * as sentences from '../src/classify/words/sentences.ts';
import * as shortTexts from '../src/classify/words/short-texts.ts';
import type { Family, Keep, Row, Rule, Sources, TypedRows } from '../src/classify/family.ts';
import { phrasesOf } from './phrases.ts';
import { failureTypes } from '../src/failure/failure.ts';

const FOLDER = new URL('../src/classify/providers/', import.meta.url);

/** A file of the folder: its table, and what it exports besides. */
interface Provider {
  readonly file: string;
  readonly family: Family;
  readonly rule: Rule | undefined;
  readonly keep: Keep | undefined;
}

/** Every provider, in the order of its name: the first counts where several recognise a response as theirs. */
export async function readProviders(): Promise<readonly Provider[]> {
  const files = readdirSync(FOLDER).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const { rule, keep, ...tables } = (await import(new URL(file, FOLDER).href)) as Record<string, unknown>;
      const [family, ...others] = Object.values(tables);
      if (others.length > 0 || (family as Family | undefined)?.provider === undefined)
        throw new Error(
          `Expected ${file} to export one constant of the type Family, and at most \`rule\` and \`keep\`.`,
        );
      return { file, family: family as Family, rule: rule as Rule | undefined, keep: keep as Keep | undefined };
    }),
  );
}

/** The tables of the rulebook, by the names of its exports. */
export function tablesOf(providers: readonly Family[]) {
  const families = [...providers, COMMON];
  const list = (name: 'headers' | 'signature'): Readonly<Record<string, string>> =>
    Object.fromEntries(
      providers.flatMap((family) => (family[name] === undefined ? [] : [[family.provider, family[name]]])),
    );
  const members = (name: 'codeMembers' | 'waitMembers'): readonly string[] =>
    families.flatMap((family) => family[name]?.split(' ') ?? []);
  const rows = (name: Layer): readonly Row[] => families.flatMap((family) => family[name] ?? []);
  return {
    HEADERS: list('headers'),
    SIGNATURES: list('signature'),
    CODE_MEMBERS: members('codeMembers'),
    WAIT_MEMBERS: members('waitMembers'),
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
    ALONE_CODES: codesIn(rows('alone')),
    ALONE_TEXTS: textsIn(rows('alone')),
  };
}

type Layer = 'decisive' | 'anyStatus' | 'permanent' | 'general' | 'usual' | 'vague' | 'alone';

/** The patterns of names, one for each type. A name may be followed by `@` and its statuses. */
function codesIn(rows: readonly Row[]): Sources {
  return Object.fromEntries(
    failureTypes().flatMap((type) => {
      const names = rows
        .filter(([each, codes]) => each === type && codes !== '')
        .flatMap(([, codes]) => codes.toLowerCase().replaceAll('_', '').split(' '));
      return names.length === 0 ? [] : [[type, phrasesOf(names)]];
    }),
  );
}

/** The patterns of texts, one for each type. */
function textsIn(rows: readonly Row[]): Sources {
  return Object.fromEntries(
    failureTypes().flatMap((type) => {
      const texts = rows.flatMap(([each, , text]) => (each === type && text !== undefined ? [text] : []));
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

export const readWords = (): Words => ({ ...network, ...programs, ...refusals, ...sentences, ...shortTexts });

/** The text of the rulebook. */
export function rulebookText(providers: readonly Provider[], words: Words): string {
  const functionsOf = (name: 'rule' | 'keep'): readonly Provider[] =>
    providers.filter((each) => each[name] !== undefined);
  const named = (name: 'rule' | 'keep', { family }: Provider): string =>
    `${family.provider}${name === 'rule' ? 'Rule' : 'Keep'}`;
  const imports = providers.flatMap((each) => {
    const names = (['keep', 'rule'] as const).filter((name) => each[name] !== undefined);
    const list = names.map((name) => `${name} as ${named(name, each)}`).join(', ');
    return names.length === 0 ? [] : [`import { ${list} } from './providers/${each.file}';`];
  });
  const list = (name: 'rule' | 'keep', more: readonly string[] = []): string =>
    `[${[...functionsOf(name).map((each) => named(name, each)), ...more].join(', ')}]`;
  const { HEADERS, SIGNATURES, CODE_MEMBERS, WAIT_MEMBERS, CODES, TEXTS, PASSING, ALONE_CODES, ALONE_TEXTS } = tablesOf(
    providers.map(({ family }) => family),
  );
  return `/**
 * The tables of all providers and of \`common.ts\`, in the form in which they are searched. \`npm run pages\` writes this
 * file. To change a rule, edit its file in \`providers/\` or \`common.ts\`; to add a provider, add a file to \`providers/\`.
 */

import type { Keep, Rule, Sources } from './family.ts';
import { ruleOfQuotaNames } from './limits.ts';
${imports.join('\n')}

export const RULES: readonly Rule[] = ${list('rule', ['ruleOfQuotaNames'])};

export const KEEPERS: readonly Keep[] = ${list('keep')};

export const HEADERS: Readonly<Record<string, string>> = ${literal(HEADERS)};

export const SIGNATURES: Readonly<Record<string, string>> = ${literal(SIGNATURES)};

export const CODE_MEMBERS: readonly string[] = ${literal(CODE_MEMBERS)};

export const WAIT_MEMBERS: readonly string[] = ${literal(WAIT_MEMBERS)};

export const CODES: Readonly<Record<'decisive' | 'usual' | 'vague', Sources>> = ${literal(CODES)};

export const TEXTS: Readonly<Record<'decisive' | 'anyStatus' | 'permanent' | 'general' | 'usual', Sources>> = ${literal(TEXTS)};

export const PASSING =
  ${literal(PASSING)};

export const ALONE_CODES: Sources = ${literal(ALONE_CODES)};

export const ALONE_TEXTS: Sources = ${literal(ALONE_TEXTS)};

/** Prose, which only the texts of operations are searched for. */
${Object.entries(proseOf(words))
  .map(([name, table]) => `export const ${name}${typeof table === 'string' ? '' : ': Sources'} = ${literal(table)};\n`)
  .join('\n')}`;
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
  writeFileSync(new URL('../generated-rulebook.ts', FOLDER), rulebookText(await readProviders(), readWords()));
}
