/**
 * `npm run mutation`, or `npm run mutation -- options hints` for some folders of `src/`: mutates one after the other and
 * prints the scores. `npm run mutation -- src/gate/limit.ts` mutates one file, `npm run mutation -- gate --sample 0.14`
 * a share of a folder, which `--seed 2` draws anew. Earlier results of a folder or a file are used again if neither the
 * source nor its tests have changed; `--force` runs every mutant.
 */

import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MODULES } from './modules.ts';
import type { Counts } from './mutate.ts';

const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    force: { type: 'boolean', default: false },
    sample: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
});
const wanted = named.length > 0 ? named : MODULES.map(({ name }) => name);
const unknown = wanted.find((arg) => !MODULES.some(({ name }) => name === folderOf(arg)));
if (unknown !== undefined) {
  console.error(`No folder for ${unknown}; there are ${MODULES.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
if (!existsSync(new URL('../node_modules/@stryker-mutator', import.meta.url))) {
  console.error('Stryker is not installed yet: npm ci --prefix tools');
  process.exit(2);
}

const rows: string[] = [];
for (const arg of wanted) {
  console.log(`\n${arg}`);
  const { killed, timedOut, survived, uncovered, unloadable } = await mutate(folderOf(arg), arg);
  const noticed = killed + timedOut;
  // Not rounded up: 84.96 is not 85.
  const score = Math.floor((1000 * noticed) / (noticed + survived + uncovered)) / 10;
  const counts = [killed, timedOut, survived, uncovered, unloadable].map((count) => String(count).padStart(13));
  rows.push(`${arg.padEnd(24)}${`${score.toFixed(1)} %`.padStart(8)}${counts.join('')}`);
}
const heads = ['killed', 'timed out', 'survived', 'no coverage', 'not loadable'].map((head) => head.padStart(13));
console.log([`\n${''.padEnd(24)}${'score'.padStart(8)}${heads.join('')}`, ...rows].join('\n'));

/** The folder `gate` from `gate` or `src/gate/limit.ts`. */
function folderOf(arg: string): string {
  return /^src\/(\w+)\//.exec(arg)?.[1] ?? arg;
}

/** Runs in its own process, because Stryker and Vitest each keep global state. */
function mutate(name: string, arg: string): Promise<Counts> {
  return new Promise((settle, fail) => {
    const child = fork(new URL('mutate.ts', import.meta.url), {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: {
        ...process.env,
        MUTATED_MODULE: name,
        MUTATED_FILE: arg === name ? '' : arg,
        MUTATION_FORCE: options.force ? '1' : '',
        MUTATION_SAMPLE: options.sample,
        MUTATION_SEED: options.seed,
      },
    });
    let counts: Counts | undefined;
    child.on('message', (message) => (counts = message as Counts));
    child.on('exit', (code) =>
      counts === undefined ? fail(new Error(`The run over ${arg} ended with ${code}.`)) : settle(counts),
    );
  });
}
