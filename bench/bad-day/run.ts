/**
 * Runs the bad day: every client through every trouble, each client in a process of its own.
 *
 * `node run.ts [--seeds 1,2,3] [--clients openai,ky] [--troubles overload] [--calls 200] [--log] [--json FILE] [--page]`.
 * `--log` prints every request; `--json` keeps the results; `--page` writes the figures of docs/bad-day.md and its
 * pictures.
 */

import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { writePages } from './page.ts';
import { logLines, scoreLines } from './lines.ts';
import { clientFiles } from './list-clients.ts';
import { troubles } from './troubles.ts';
import type { Cell } from './score.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2,3,4,5,6' },
    clients: { type: 'string', default: '' },
    troubles: { type: 'string', default: '' },
    json: { type: 'string', default: '' },
    page: { type: 'boolean', default: false },
    /** Prints every request in place of the figures. */
    log: { type: 'boolean', default: false },
    /** The calls of a day. */
    calls: { type: 'string', default: '20' },
    /** With `--page`: the seeds that were run once, at the end, and the clients of the days with 200 calls. */
    unseen: { type: 'string', default: '' },
    busy: { type: 'string', default: '' },
  },
});

const here = fileURLToPath(new URL('.', import.meta.url));
const known = clientFiles().map((file) => file.slice(0, -3));
const filesOf = (list: string): readonly string[] => chosen(list, '--clients', known).map((name) => `${name}.ts`);
const queue = filesOf(values.clients);
chosen(values.troubles, '--troubles', [...troubles.keys()]);
const run = promisify(execFile);

/** The names in a list of them, or all. */
function chosen(list: string, option: string, all: readonly string[]): readonly string[] {
  if (list === '') return all;
  const names = list.split(',');
  const unknown = names.find((name) => !all.includes(name));
  if (unknown === undefined) return names;
  console.error(`Expected ${option} to be of ${all.join(', ')}; got "${unknown}".`);
  process.exit(2);
}

async function cellsOf(file: string, seeds: string, calls: string): Promise<readonly Cell[]> {
  const args = [`${here}one-client.ts`, file, seeds, values.troubles, calls];
  const { stdout, stderr } = await run(process.execPath, args, { maxBuffer: 2 ** 29, cwd: here });
  if (stderr !== '') process.stderr.write(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line): Cell => JSON.parse(line));
}

async function allCells(seeds: string, calls = values.calls, clients = queue): Promise<readonly Cell[]> {
  if (seeds === '') return [];
  const cells: Cell[] = [];
  const waiting = [...clients];
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const startedAt = performance.now();
      cells.push(...(await cellsOf(file, seeds, calls)));
      console.error(`${file.slice(0, -3)}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return cells;
}

const cells = await allCells(values.seeds);
if (values.json !== '') writeFileSync(values.json, JSON.stringify(cells));
if (values.log) for (const line of logLines(cells)) console.log(line);
else for (const line of scoreLines(cells)) console.log(line);
if (values.page)
  await writePages(cells, await allCells(values.unseen), await allCells('1', '200', filesOf(values.busy)));
