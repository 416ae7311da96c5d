/** Writes the tables of docs/options.md from the sources of the options: `npm run pages`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FOREIGN_NAMES } from '../src/options/foreign-names.ts';

const SOURCE = new URL('../src/options/config.ts', import.meta.url);
const PAGE = new URL('../docs/options.md', import.meta.url);
const INTERFACE = /export interface RetryConfig \{\n([\s\S]*?)\n\}/;
const MEMBER = /(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}readonly (\w+)\?:([\s\S]*?);\n/g;
const FOREIGN_TABLE = /(<!-- foreign-names -->\n)[\s\S]*(<!-- \/foreign-names -->)/;
const TABLE = /(<!-- options -->\n)[\s\S]*(<!-- \/options -->)/;

/** A row for each option, in the order of the source. */
export function optionsTable(source: string = readFileSync(SOURCE, 'utf8')): string {
  const [, members = ''] = INTERFACE.exec(source) ?? [];
  const rows = [...`${members}\n`.matchAll(MEMBER)].map(([, comment = '', name = '', type = '']) => {
    const words = comment
      .replaceAll(/^\s*\* ?/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
      // Removes the parentheses that `| undefined` needed.
      .replace(/^\((.*)\)$/, '$1');
    const [text = '', standard = ''] = words.split(/ ?@default /);
    return `| \`${name}\` | ${cell(text)} | ${cell(standard)} | \`${cell(typeText(type))}\` |`;
  });
  return ['| option | what it does | default | type |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

/** A row for each option that other libraries have under another name. */
function foreignTable(): string {
  const rows = Object.entries(FOREIGN_NAMES).map(
    ([use, names]) =>
      `| \`${use}\` | ${names
        .split(' ')
        .map((name) => `\`${name}\``)
        .join(', ')} |`,
  );
  return ['| write | in place of |', '| --- | --- |', ...rows, ''].join('\n');
}

/** The page with the tables from the sources. */
export function withOptions(page: string): string {
  return page
    .replace(TABLE, (_table, open: string, close: string) => `${open}${optionsTable()}${close}`)
    .replace(FOREIGN_TABLE, (_table, open: string, close: string) => `${open}${foreignTable()}${close}`);
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
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\bdocs\/([\w-]+\.md)/g, '[$1]($1)');

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, withOptions(readFileSync(PAGE, 'utf8')));
