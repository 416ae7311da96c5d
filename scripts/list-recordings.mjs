// Writes mocks/recordings.ts, which imports every file of mocks/recordings, because a browser cannot list a folder.
// Run it after adding, renaming or removing a recording.
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const mocks = resolve(dirname(fileURLToPath(import.meta.url)), '../mocks');

const names = readdirSync(resolve(mocks, 'recordings'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length))
  .toSorted();

const identifier = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

writeFileSync(
  resolve(mocks, 'recordings.ts'),
  `/**
 * Every recording by its name. Written by \`node scripts/list-recordings.mjs\` from the files in \`recordings/\`; to add
 * one, add its file and run the script again.
 */

import type { Recording } from './recording.ts';
${names.map((name) => `import ${identifier(name)} from './recordings/${name}.json' with { type: 'json' };`).join('\n')}

export type { Recording } from './recording.ts';

/** The names of the recordings. */
export type RecordingName =
${names.map((name) => `  | '${name}'`).join('\n')};

/** Every recording, by its name. Do not change them, because they are shared. */
// TypeScript reads the words in JSON as any \`string\`; the tests hold each file against \`Recording\`.
export const recordings: Readonly<Record<RecordingName, Recording>> = {
${names.map((name) => `  '${name}': ${identifier(name)},`).join('\n')}
} as Readonly<Record<RecordingName, Recording>>;
`,
);
console.log(`mocks/recordings.ts lists ${names.length} recordings`);
