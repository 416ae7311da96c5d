/**
 * `npm run mutation`, or `npm run mutation -- decide hints` for some of the modules: mutates one module after the other and
 * writes the scores into docs/mutation.md and README.md. `npm run mutation -- src/gate/cooldown.ts` mutates one file and
 * writes nothing. What was found before is used again where neither the source nor its tests have changed; `--force` runs
 * every mutant.
 */

import { fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODULES } from './modules.ts';
import { pageWith, readmeWith, rowsIn, type Counts } from './page.ts';

const PAGE = new URL('../../docs/mutation.md', import.meta.url);
const README = new URL('../../README.md', import.meta.url);

const args = process.argv.slice(2);
const isForced = args.includes('--force');
const wanted = args.filter((arg) => arg !== '--force');
const files = wanted.filter((arg) => arg.endsWith('.ts'));
const names = wanted.filter((arg) => !arg.endsWith('.ts'));
const unknown = [...names, ...files.map(moduleOf)].find((name) => !MODULES.some((module) => module.name === name));
if (unknown !== undefined) {
  console.error(`No module ${unknown}; there are ${MODULES.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
if (!existsSync(new URL('node_modules', import.meta.url))) {
  console.error('Stryker is not installed yet: npm ci --prefix tools/mutation');
  process.exit(2);
}

for (const file of files) {
  console.log(`\n${file}`);
  await mutate(moduleOf(file), file);
}
for (const { name } of MODULES) {
  if (wanted.length > 0 && !names.includes(name)) continue;
  console.log(`\n${name}`);
  const counts = await mutate(name);
  const rows = rowsIn(readFileSync(PAGE, 'utf8')).filter(({ module }) => module !== name);
  const row = { module: name, ...counts, date: new Date().toISOString().slice(0, 10) };
  const sorted = MODULES.flatMap((module) => [...rows, row].filter((one) => one.module === module.name));
  writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8'), sorted));
  writeFileSync(README, readmeWith(readFileSync(README, 'utf8'), sorted));
}

/** `gate` of src/gate/cooldown.ts, `decide` of src/loop/decide.ts. */
function moduleOf(file: string): string {
  return MODULES.find(({ sources }) => sources.some((pattern) => matchesGlob(file, `src/${pattern}`)))?.name ?? file;
}

function mutate(name: string, file = ''): Promise<Counts> {
  return new Promise((settle, fail) => {
    const child = fork(new URL('mutate.ts', import.meta.url), {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, MUTATED_MODULE: name, MUTATED_FILE: file, MUTATION_FORCE: isForced ? '1' : '' },
    });
    let counts: Counts | undefined;
    child.on('message', (message) => (counts = message as Counts));
    child.on('exit', (code) =>
      counts === undefined ? fail(new Error(`The run over ${name} ended with ${code}.`)) : settle(counts),
    );
  });
}
