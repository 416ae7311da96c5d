// Writes src/classify/providers/index.ts, which imports every file of that folder, because a bundle cannot list a
// folder. Run it after adding, renaming or removing a provider.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../src/classify/providers');

/** The name of the only table that a file exports. */
const tableIn = (file) => /^export const (\w+): Family = /m.exec(readFileSync(resolve(folder, file), 'utf8'))?.[1];

/** The text of the index, from the files next to it. */
export function providersIndex() {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .toSorted();
  const tables = files.map((file) => [file, tableIn(file)]);
  const unnamed = tables.find(([, table]) => table === undefined);
  if (unnamed !== undefined) throw new Error(`Expected ${unnamed[0]} to export one constant of the type Family.`);
  return `/**
 * Every provider. Written by \`node scripts/list-providers.mjs\` from the files in this folder; to add one, add its file
 * and run the script again. Where several recognise a response as theirs, the first is meant: Azure sends OpenAI's
 * headers as well.
 */

import type { Family } from '../family.ts';
${tables.map(([file, table]) => `import { ${table} } from './${file}';`).join('\n')}

export const PROVIDERS: readonly Family[] = [
${tables.map(([, table]) => `  ${table},`).join('\n')}
];
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(resolve(folder, 'index.ts'), providersIndex());
}
