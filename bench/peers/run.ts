/**
 * Runs the benchmarks: `npm run bench` for all of them and the page, `npm run bench -- success` for one of them on the
 * terminal. Each subject of each scenario runs in its own process, one after the other.
 */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fillPage, renderResults, renderSection } from './page.ts';
import { readResults, type Results, type Row, type ScenarioResult, writeResults } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { SUBJECT_NAMES } from './subjects.ts';

const HELP = `npm run bench -- [scenario …] [options]

  scenarios           ${[...SCENARIOS.keys()].join(', ')} (default: all)
  --subject <name>    only this one, and again for more: ${SUBJECT_NAMES.join(', ')}
  --write             keep the results and write docs/benchmarks.md, as a whole run does
  --page              measure nothing, only write the page from the results that are kept

BENCH_QUICK=1 shows in a minute that everything works; its figures are rough.`;

const QUICK = process.env['BENCH_QUICK'] === '1';
const TIME_LIMIT_MS = 180_000;
const page = new URL('../../docs/benchmarks.md', import.meta.url);

class UsageError extends Error {}

function writePage(results: Results): void {
  writeFileSync(page, fillPage(readFileSync(page, 'utf8'), renderResults(results, SCENARIOS)));
}

async function runScenario(name: string, subjects: readonly string[]): Promise<ScenarioResult> {
  const result = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    machine: `${process.platform} ${process.arch}, ${availableParallelism()} cores`,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    quick: QUICK,
  };
  const rows: Record<string, Row> = {};
  for (const subject of subjects) {
    process.stderr.write(`${name}: ${subject}\n`);
    const row = await runSubject(name, subject);
    if (row !== null) rows[subject] = row;
  }
  return { ...result, rows };
}

function runSubject(scenario: string, subject: string): Promise<Row | null> {
  const flags = SCENARIOS.get(scenario)?.nodeFlags ?? [];
  const program = fileURLToPath(new URL('measure.ts', import.meta.url));
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...flags, program, scenario, subject], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: TIME_LIMIT_MS,
    });
    let output = '';
    child.stdout.on('data', (text) => (output += String(text)));
    child.on('close', (code, signal) => {
      // The output of the subject itself comes before.
      const last = output.trim().split('\n').at(-1) ?? '';
      const failed = { version: '', failed: `no result, the process ended with ${signal ?? code}` };
      resolve(code === 0 && last !== '' ? JSON.parse(last) : failed);
    });
  });
}

function demandInstalled(): void {
  const needed = { 'dist/index.js': 'npm run build', 'tools/peers/node_modules': 'npm ci --prefix tools/peers' };
  for (const [path, command] of Object.entries(needed)) {
    if (!existsSync(new URL(`../../${path}`, import.meta.url))) {
      throw new UsageError(`There is no ${path}, and nothing can be measured without: run "${command}".`);
    }
  }
}

/** All of them by default. */
function chosen(what: string, named: readonly string[], known: readonly string[]): readonly string[] {
  const unknown = named.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no ${what} "${unknown}"; there are ${known.join(', ')}.`);
  return known.filter((name) => named.length === 0 || named.includes(name));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      subject: { type: 'string', multiple: true, default: [] },
      write: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  if (values.page) return writePage(readResults());
  const scenarios = chosen('scenario', positionals, [...SCENARIOS.keys()]);
  const subjects = chosen('subject', values.subject, SUBJECT_NAMES);
  const isWhole = scenarios.length === SCENARIOS.size && subjects.length === SUBJECT_NAMES.length;
  if (values.write && subjects.length < SUBJECT_NAMES.length) {
    throw new UsageError('Expected --write without --subject: the rows of a table are of one run.');
  }
  demandInstalled();
  const results: Record<string, ScenarioResult> = {};
  for (const name of scenarios) results[name] = await runScenario(name, subjects);
  if (values.write || (isWhole && !QUICK)) {
    const kept = { ...readResults(), ...results };
    writeResults(kept);
    writePage(kept);
  }
  for (const [name, scenario] of SCENARIOS) {
    const result = results[name];
    if (result !== undefined) console.log(`${renderSection({ scenario, result }, true)}\n`);
  }
  const rows = Object.values(results).flatMap((result) => Object.values(result.rows));
  if (rows.some((row) => 'failed' in row)) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  if (!isUsage) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
