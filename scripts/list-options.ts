/** Writes the table of docs/options.md from the sources of the options: `npm run pages`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withTable } from './embed-examples.ts';
import { FUNCTIONS, REQUESTS, ROWS, UNKNOWN_ERRORS } from '../src/options/rows.ts';

const SOURCE = new URL('../src/options/config.ts', import.meta.url);
const PAGE = new URL('../docs/options.md', import.meta.url);
const INTERFACES = ['RetryPolicy', 'RetryConfig', 'RetryFetchConfig', 'OperationRetryConfig', 'StreamRetryConfig'];
const MEMBER = /(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}readonly (\w+)\?:([\s\S]*?);\n/g;

/** A row for each option, in the order of the source. */
export function optionsTable(source: string = readFileSync(SOURCE, 'utf8')): string {
  const options: Readonly<Record<string, { readonly faces?: string }>> = ROWS;
  const seen = new Set<string>();
  const rows = INTERFACES.flatMap((name) => membersOf(source, name)).flatMap(({ name, cells }) => {
    // Requests and functions have one option with two types.
    if (seen.has(name)) return [];
    seen.add(name);
    return [`| \`${name}\` | ${cells.join(' | ')} | ${FOR.get(options[name]?.faces) ?? 'all'} |`];
  });
  return ['| option | what it does | default | type | of |', '| --- | --- | --- | --- | --- |', ...rows, ''].join('\n');
}

/** What an option is for that not all faces have. */
const FOR: ReadonlyMap<string | undefined, string> = new Map([
  [REQUESTS, 'requests'],
  ['createRetryFetch', '`createRetryFetch`'],
  [FUNCTIONS, 'functions'],
  ['retryStream', '`retryStream`'],
  [UNKNOWN_ERRORS, 'functions, [`/llm`](entries.md)'],
]);

interface Member {
  readonly name: string;
  readonly cells: readonly string[];
}

/** The members of an interface of the options, in the order of the source. */
export function membersOf(source: string, name: string): readonly Member[] {
  const [, members = ''] =
    new RegExp(`export interface ${name}(?:<T = unknown>)?(?: extends \\w+(?:<T>)?)? \\{\\n([\\s\\S]*?)\\n\\}`).exec(
      source,
    ) ?? [];
  return [...`${members}\n`.matchAll(MEMBER)].map(([, comment = '', member = '', type = '']) => {
    const words = comment
      .replaceAll(/^\s*\* ?/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const [text = '', standard = ''] = words.split(/ ?@default /);
    return { name: member, cells: [cell(text), cell(standard), `\`${cell(typeText(type))}\``] };
  });
}

const typeText = (type: string): string =>
  type
    .replaceAll(/\s+/g, ' ')
    .replace(/ \| undefined$/, '')
    .trim()
    .replace(/^\| /, '')
    // Removes the parentheses that `| undefined` needed.
    .replace(/^\((.*)\)$/, '$1');

/** A page that a comment names becomes a link. */
const cell = (text: string): string =>
  text
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll('|', '\\|')
    .replaceAll(/\bdocs\/([\w-]+\.md)/g, '[$1]($1)');

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), 'options', optionsTable()));
