/**
 * Packs the package and installs it into each program of this folder, some of them with the optional peers of last year
 * or of this one, and without a flag; then each program checks its types and runs: `node run.ts`. `node run.ts jest deno`
 * runs some, `--all` also Next.js, which takes longer than all others together.
 */

import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Bun and Deno are installed in `tools/runtimes`, which runs the package on every runtime. */
const RUNTIMES = join(HERE, '../runtimes/node_modules/.bin');
const SLOW = ['next'];
/** npm, which refuses peers that do not fit, installs these. Bun installs the others from their lockfiles, in a fifth of the time. */
const HAS_PEERS = /^(?:commonjs|next|peers-.*|typescript)$/;
const AT_ONCE = 2;

interface Result {
  readonly name: string;
  readonly outcome: 'ok' | 'failed';
  readonly seconds: number;
  readonly output: string;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } });
const folders = globSync('*/package.json', { cwd: HERE }).map(dirname).toSorted();
const unknown = positionals.filter((name) => !folders.includes(name));
if (unknown.length > 0) throw new Error(`No program ${unknown.join(', ')}; there are ${folders.join(', ')}.`);
const chosen = positionals.length > 0 ? positionals : folders.filter((name) => values.all || !SLOW.includes(name));

const folder = await mkdtemp(join(tmpdir(), 'retry-transport-consumers-'));
try {
  const tarball = await pack(folder);
  const waiting = [...chosen];
  const results: Result[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const result = await check(name, tarball);
        results.push(result);
        print(result);
      }
    }),
  );
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  console.log(`${results.length - failed} of ${results.length} programs install, type-check and run`);
  if (failed > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function pack(destination: string): Promise<string> {
  await run('npm', ['run', 'build'], { cwd: ROOT });
  const options = ['--json', '--ignore-scripts', '--pack-destination', destination];
  const { stdout } = await run('npm', ['pack', ...options], { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  const [{ filename }]: [{ filename: string }] = JSON.parse(stdout);
  return join(destination, filename);
}

async function check(name: string, tarball: string): Promise<Result> {
  const start = performance.now();
  const place = join(folder, name);
  let outcome: Result['outcome'] = 'ok';
  let output = '';
  try {
    for (const part of ['shared', ...(name.startsWith('peers-') ? ['shared-peers'] : []), name])
      await cp(join(HERE, part), place, { recursive: true, filter: (path) => !path.includes('node_modules') });
    await cp(join(HERE, '.npmrc'), join(place, '.npmrc'));
    const withNpm = () => run('npm', ['install', tarball, '--ignore-scripts', '--prefer-offline'], { cwd: place });
    const withBun = () => run(join(RUNTIMES, 'bun'), ['add', tarball, '--ignore-scripts'], { cwd: place });
    // Where Bun does not reach the registry, npm may.
    const installed = await (HAS_PEERS.test(name) ? withNpm() : withBun().catch(withNpm));
    const environment = { ...process.env, NO_COLOR: '1', PATH: [process.env['PATH'], RUNTIMES].join(delimiter) };
    const tested = await run('npm', ['test'], { cwd: place, env: environment });
    output = installed.stderr + tested.stdout;
  } catch (error) {
    outcome = 'failed';
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    output = stdout + stderr === '' ? String(error) : stdout + stderr;
  }
  return { name, outcome, seconds: (performance.now() - start) / 1000, output };
}

function print({ name, outcome, seconds, output }: Result): void {
  console.log(`${outcome.padEnd(7)} ${name.padEnd(14)} ${seconds.toFixed(1).padStart(5)} s`);
  const lines = output
    .split('\n')
    .filter((line) => (outcome === 'failed' ? line.trim() !== '' : /^(answered|type-checked):/.test(line)));
  for (const line of lines) console.log(`          ${line}`);
}
