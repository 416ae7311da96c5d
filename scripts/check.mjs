// All checks for a change in one command: `npm run check`, or `npm run check -- --skip=test,size`. The steps are npm
// scripts; only the output of a failed step is shown.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// The tests run alone, because some have time limits; the other steps run two at a time. `after` names the step whose
// result a step reads, `needs` what has to be installed for it.
const TEST = { name: 'test', script: 'coverage' };
const STEPS = [
  TEST,
  { name: 'build', script: 'build' },
  { name: 'package', script: 'lint:package', after: 'build' },
  { name: 'size', script: 'size', after: 'build' },
  { name: 'types', script: 'types' },
  { name: 'tools', script: 'types:tools', needs: 'tools/node_modules' },
  { name: 'lint', script: 'lint' },
  { name: 'unused', script: 'knip' },
  { name: 'format', script: 'format:check' },
];
const LANES = 2;

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { scripts } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
const environment = {
  ...process.env,
  NO_COLOR: '1',
  PATH: resolve(root, 'node_modules/.bin') + delimiter + process.env.PATH,
};

const skipped = readSkipped(process.argv.slice(2));
const waiting = STEPS.filter((step) => step !== TEST && !skipped.has(step.name));
const outcomes = new Map([...skipped].map((name) => [name, 'skipped']));
const startedAt = performance.now();

if (!skipped.has(TEST.name)) await runStep(TEST);
await Promise.all(Array.from({ length: LANES }, runLane));

const failed = [...outcomes.values()].filter((outcome) => outcome === 'failed').length;
console.log(
  `${failed === 0 ? 'check passed' : `check failed: ${failed} of ${outcomes.size} steps`} ${since(startedAt)}`,
);
process.exitCode = failed === 0 ? 0 : 1;

function readSkipped(args) {
  const names = args.flatMap((arg) => {
    if (!arg.startsWith('--skip=')) throw new Error(`Expected --skip=<step>[,<step>], got ${arg}.`);
    return arg.slice('--skip='.length).split(',');
  });
  const unknown = names.find((name) => !STEPS.some((step) => step.name === name));
  if (unknown !== undefined)
    throw new Error(`No step ${unknown}; there are ${STEPS.map(({ name }) => name).join(', ')}.`);
  return new Set(names);
}

async function runLane() {
  while (waiting.length > 0) {
    const index = waiting.findIndex(({ after }) => after === undefined || outcomes.has(after));
    if (index === -1) {
      // The remaining steps wait for a step in the other lane, which then continues with them.
      return;
    }
    const [step] = waiting.splice(index, 1);
    await runStep(step);
  }
}

async function runStep({ name, script, after, needs }) {
  if (outcomes.get(after) === 'failed') {
    report(name, 'failed', `needs ${after}`);
    return;
  }
  if (needs !== undefined && !existsSync(resolve(root, needs))) {
    report(name, 'skipped', `no ${needs}; tools/README.md says how to get it`);
    return;
  }
  const start = performance.now();
  const { code, output } = await run(scripts[script]);
  report(name, code === 0 ? 'ok' : 'failed', since(start));
  if (code !== 0) console.log(`${output.trimEnd()}\n(npm run ${script})\n`);
}

function report(name, outcome, detail) {
  outcomes.set(name, outcome);
  console.log(`${outcome.padEnd(7)} ${name.padEnd(8)} ${detail}`);
}

function run(command) {
  return new Promise((settle) => {
    const child = spawn(command, { cwd: root, env: environment, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child.on('close', (code) => settle({ code, output: Buffer.concat(chunks).toString() }));
  });
}

function since(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
