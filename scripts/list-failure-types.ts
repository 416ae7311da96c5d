/**
 * Writes the table of the taxonomy into docs/classification.md, from `FAILURES`. Run `npm run pages` after changing
 * `FAILURES`; a test compares the two.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withTable } from './embed-examples.ts';
import { FAILURES, isRetryableStatusCode } from '../src/index.ts';

const HEAD = ['| type | statuses | retried | what a person can do |', '| --- | --- | --- | --- |'];

/** The table, one row per type. */
export function taxonomyTable(): string {
  const rows = Object.entries(FAILURES).map(([type, { http, strategy, action }]) => {
    const refused = http.filter((status) => strategy !== null && !isRetryableStatusCode(status));
    const retried = strategy === null ? 'no' : refused.length === 0 ? 'yes' : `yes, not ${refused.join(', ')}`;
    return `| \`${type}\` | ${http.join(', ')} | ${retried} | ${action ?? ''} |`;
  });
  return [...HEAD, ...rows, ''].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = new URL('../docs/classification.md', import.meta.url);
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), 'taxonomy', taxonomyTable()));
}
