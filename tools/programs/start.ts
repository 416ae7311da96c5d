/**
 * The matrix: `npm --prefix tools/programs start -- codex gemini --plans hint-2,down-40`. Programs are agents or
 * libraries by name, `agents`, or `libraries`. Each cell is a line of JSON in results/, or in the file that `--out`
 * names, as soon as it has ended; the tables are printed at the end. `--table <file>…` prints the tables of such files,
 * `--write` puts them into docs/programs.md as well.
 */

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { agents } from './agents/index.ts';
import { type Cell, type Way, waysOf } from './cell.ts';
import { install } from './install.ts';
import { isolation, runIsolated } from './isolation.ts';
import { libraries } from './libraries/index.ts';
import { fillPage, PAGE } from './page.ts';
import { type Plan, planOf, plans } from './plans.ts';
import type { ProxyCommand } from './proxy-process.ts';
import { runAgent } from './run-agent.ts';
import { runLibrary } from './run-library.ts';
import { type RunOptions, Slots } from './slots.ts';
import { LEGEND, renderMatrix, renderMinuses, renderSummary } from './table.ts';

/** Plans that take longer than this run only if they are named. */
const DEAREST_BY_DEFAULT_MS = 50_000;
/** Libraries mostly wait. */
const LIBRARIES_AT_ONCE = '48';
/** Agents wait too, but each keeps a core busy while it starts. */
const AGENTS_AT_ONCE = '6';
const STARTING_AT_ONCE = 2;

interface Task {
  readonly label: string;
  readonly kind: 'agent' | 'library';
  run(): Promise<Cell>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    plans: { type: 'string' },
    ways: { type: 'string' },
    out: { type: 'string' },
    'proxy-options': { type: 'string', default: '' },
    'proxy-build': { type: 'string', default: fileURLToPath(new URL('../../dist/cli.js', import.meta.url)) },
    table: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'agents-at-once': { type: 'string', default: AGENTS_AT_ONCE },
    'libraries-at-once': { type: 'string', default: LIBRARIES_AT_ONCE },
    quiet: { type: 'boolean', default: false },
  },
});

if (values.list) list();
else if (values.table) showTables(inOrder(latestOf(positionals.flatMap(readCells))));
else if (isolation() === undefined) await prepare();
else await runAll();

function list(): void {
  console.log(`agents: ${agents.map(({ name }) => name).join(', ')}`);
  console.log(`libraries: ${libraries.map(({ name }) => name).join(', ')}`);
  for (const { name, story } of plans) console.log(`${name.padEnd(18)} ${story}`);
}

/** Installs missing programs while there is a network, then isolates itself. */
async function prepare(): Promise<void> {
  for (const agent of agents.filter(({ name }) => isChosen(name, 'agents'))) await install(agent);
  process.exitCode = await runIsolated();
}

async function runAll(): Promise<void> {
  // A library may leave a rejection behind that its caller cannot handle; it must not end other cells.
  process.on('unhandledRejection', (error) => console.error(`Unhandled: ${String(error)}`));
  const out = values.out ?? fileURLToPath(new URL('results/cells.jsonl', import.meta.url));
  mkdirSync(dirname(out), { recursive: true });
  const options: RunOptions = { proxyCommand: proxyCommand(), starting: new Slots(STARTING_AT_ONCE) };
  const tasks = [...libraryTasks(options), ...agentTasks(options)];
  if (tasks.length === 0) throw new Error('No program of that name; --list shows all.');
  console.log(
    `${tasks.length} cells. Network: ${isolation() === 'namespace' ? 'loopback only' : 'proxy variables point nowhere'}.`,
  );
  const cells: Cell[] = [];
  const work = async (queue: Task[]): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      const cell = await task.run();
      cells.push(cell);
      appendFileSync(out, `${JSON.stringify(cell)}\n`);
      if (!values.quiet) console.log(`${task.label}: ${cell.outcome}, ${(cell.tookMs / 1000).toFixed(1)} s`);
    }
  };
  const queueOf = (kind: Task['kind']) => tasks.filter((task) => task.kind === kind);
  const [libraryQueue, agentQueue] = [queueOf('library'), queueOf('agent')];
  await Promise.all(Array.from({ length: Number(values['libraries-at-once']) }, () => work(libraryQueue)));
  await Promise.all(Array.from({ length: Number(values['agents-at-once']) }, () => work(agentQueue)));
  print(inOrder(cells));
  // A library that was too late may still be waiting.
  process.exit(0);
}

function libraryTasks(options: RunOptions): readonly Task[] {
  return libraries
    .filter(({ name }) => isChosen(name, 'libraries'))
    .flatMap((library) =>
      chosenPlans(library.isStreamed).flatMap((plan) =>
        chosenWays(waysOf(library.isStreamed, library.retry !== null)).map((way): Task => ({
          label: `${library.name}, ${plan.name}, ${way}`,
          kind: 'library',
          run: () => runLibrary(library, plan, way, options),
        })),
      ),
    );
}

/** The short plans first, so that an interrupted run has most of its cells. */
function agentTasks(options: RunOptions): readonly Task[] {
  const chosen = agents.filter(({ name }) => isChosen(name, 'agents'));
  return plans.flatMap((plan) =>
    chosen
      .filter((agent) => chosenPlans(agent.isStreamed).includes(plan))
      .flatMap((agent) =>
        chosenWays(waysOf(agent.isStreamed, false)).map((way): Task => ({
          label: `${agent.name}, ${plan.name}, ${way}`,
          kind: 'agent',
          run: () => runAgent(agent, plan, way, options),
        })),
      ),
  );
}

function isChosen(name: string, group: 'agents' | 'libraries'): boolean {
  return (
    positionals.includes(name) || positionals.includes(group) || (positionals.length === 0 && group === 'libraries')
  );
}

function chosenPlans(isStreamed: boolean): readonly Plan[] {
  const chosen =
    values.plans === undefined
      ? plans.filter(({ costMs }) => costMs <= DEAREST_BY_DEFAULT_MS)
      : values.plans.split(',').map(planOf);
  return chosen.filter(({ hits }) => hits === 'any' || (hits === 'streamed') === isStreamed);
}

function chosenWays(ways: readonly Way[]): readonly Way[] {
  const names = values.ways?.split(',');
  return names === undefined ? ways : ways.filter((way) => names.includes(way));
}

/** `--proxy-options="--preset fleet"`, and `--proxy-build` for the `dist/cli.js` of another checkout. */
function proxyCommand(): ProxyCommand {
  return {
    script: values['proxy-build'],
    options: values['proxy-options'].split(' ').filter((option) => option !== ''),
  };
}

function readCells(file: string): readonly Cell[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Cell => JSON.parse(line));
}

/** The last result of a repeated cell counts. */
function latestOf(cells: readonly Cell[]): readonly Cell[] {
  return [...new Map(cells.map((cell) => [`${cell.program}/${cell.plan}/${cell.way}`, cell])).values()];
}

function showTables(cells: readonly Cell[]): void {
  print(cells);
  if (values.write) writeFileSync(PAGE, fillPage(readFileSync(PAGE, 'utf8'), cells));
}

/** In the order of the lists of programs: cells end in any order. */
function inOrder(cells: readonly Cell[]): readonly Cell[] {
  const names = [...agents, ...libraries].map(({ name }) => name);
  return [...cells].sort((one, other) => names.indexOf(one.program) - names.indexOf(other.program));
}

function print(cells: readonly Cell[]): void {
  console.log(`\n${[renderMatrix(cells), LEGEND, renderSummary(cells), renderMinuses(cells)].join('\n\n')}`);
}
