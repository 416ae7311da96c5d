/** Writes the table of docs/options.md from the docstrings of `RetryConfig`: `npm run pages`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCE = new URL('../src/options/config.ts', import.meta.url);
const PAGE = new URL('../docs/options.md', import.meta.url);
const INTERFACE = /export interface RetryConfig \{\n([\s\S]*?)\n\}/;
const MEMBER = /(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}readonly (\w+)\?:([\s\S]*?);\n/g;
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

/** The page with the table from the docstrings. */
export function withOptions(page: string): string {
  return page.replace(TABLE, (_table, open: string, close: string) => `${open}${optionsTable()}${close}`);
}

const typeText = (type: string): string =>
  type
    .replaceAll(/\s+/g, ' ')
    .replace(/ \| undefined$/, '')
    .trim()
    // Removes the parentheses that `| undefined` needed.
    .replace(/^\((.*)\)$/, '$1');

const cell = (text: string): string => text.replaceAll('|', '\\|');

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, withOptions(readFileSync(PAGE, 'utf8')));
