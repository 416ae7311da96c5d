/** Whether a page that names a test names one that there is. */

import { readFileSync } from 'node:fs';

/** Whether a title stands in a file below test/ as the string that it is there, in whichever quotes. */
export function isTitleIn(file: string, title: string): boolean {
  const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const spellings = [`'${title}'`, `"${title}"`, `\`${title}\``, `'${title.replaceAll("'", String.raw`\'`)}'`];
  return spellings.some((spelling) => source.includes(spelling));
}
