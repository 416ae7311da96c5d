/** Runs the steps of a check: prints a line for each, and the output of a step that failed or has something to say. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Step {
  readonly name: string;
  readonly command: string;
  /** The name of the step whose result this one reads. It runs too if that step has failed, and shows all there is to mend. */
  readonly after?: string;
  /** A folder that has to be there, and the command that installs it. */
  readonly needs?: { readonly folder: string; readonly install: string };
  /** All files that its result depends on: once it has passed, it is not run again until one of them has changed. */
  readonly reads?: readonly string[];
  /** Prints the output of a step that passed too. */
  readonly isShown?: boolean;
  /** Runs while no other step does, because some tests have time limits. */
  readonly isAlone?: boolean;
}

type Outcome = 'ok' | 'failed' | 'skipped';

const LANES = 2;
const root = fileURLToPath(new URL('..', import.meta.url));
/** Read for each step, because a check sets variables after it has imported this file. */
const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  NO_COLOR: '1',
  PATH: resolve(root, 'node_modules/.bin') + delimiter + process.env['PATH'],
});

/** Sets the exit code. Steps that run alone come last, in their order; the others run two at a time. */
export async function runSteps(
  title: string,
  steps: readonly Step[],
  skipped: ReadonlySet<string> = new Set(),
): Promise<void> {
  const startedAt = performance.now();
  const outcomes = new Map<string, Outcome>([...skipped].map((name) => [name, 'skipped']));
  const chosen = steps.filter(({ name }) => !skipped.has(name));
  const waiting = chosen.filter(({ isAlone }) => isAlone !== true);
  const runLane = async (): Promise<void> => {
    for (;;) {
      // If all that is left waits for the other lane, that lane continues with it.
      const index = waiting.findIndex(({ after }) => after === undefined || outcomes.has(after));
      const [step] = index === -1 ? [] : waiting.splice(index, 1);
      if (step === undefined) return;
      await runStep(step, outcomes);
    }
  };
  await Promise.all(Array.from({ length: LANES }, runLane));
  for (const step of chosen) if (step.isAlone === true) await runStep(step, outcomes);

  const failed = [...outcomes].filter(([, outcome]) => outcome === 'failed').map(([name]) => name);
  console.log(
    failed.length === 0
      ? `${title} passed ${since(startedAt)}`
      : `${title} failed: ${failed.join(', ')} ${since(startedAt)}`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}

async function runStep(step: Step, outcomes: Map<string, Outcome>): Promise<void> {
  const { name, command, needs, reads, isShown } = step;
  const report = (outcome: Outcome, detail: string): void => {
    outcomes.set(name, outcome);
    console.log(`${outcome.padEnd(7)} ${name.padEnd(9)} ${detail}`);
  };
  if (needs !== undefined && !existsSync(resolve(root, needs.folder))) {
    return report('skipped', `needs ${needs.folder}: ${needs.install}`);
  }
  const memory = resolve(root, `node_modules/.cache/steps/${name}`);
  const read = reads === undefined ? undefined : digestOf(reads);
  if (read !== undefined && existsSync(memory) && readFileSync(memory, 'utf8') === read) {
    return report('ok', 'what it reads has not changed');
  }
  const start = performance.now();
  const { code, output } = await run(command);
  if (code === 0 && read !== undefined) {
    mkdirSync(dirname(memory), { recursive: true });
    writeFileSync(memory, read);
  }
  report(code === 0 ? 'ok' : 'failed', since(start));
  if (code !== 0) console.log(`${output.trimEnd()}\n(${command})\n`);
  else if (isShown === true && output.trim() !== '') console.log(output.trimEnd().replaceAll(/^/gm, '          '));
}

function digestOf(patterns: readonly string[]): string {
  const digest = createHash('sha256');
  for (const path of globSync(patterns, { cwd: root }).toSorted())
    digest
      .update(path)
      .update('\0')
      .update(readFileSync(resolve(root, path)))
      .update('\0');
  return digest.digest('hex');
}

function run(command: string): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((settle) => {
    const child = spawn(command, { cwd: root, env: environment(), shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', (code) => settle({ code, output: Buffer.concat(chunks).toString() }));
  });
}

const since = (start: number): string => `${((performance.now() - start) / 1000).toFixed(1)} s`;
