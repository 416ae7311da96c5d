/**
 * Installs the package as it would be published, runs the scenario on every runtime, and compares the results with the
 * table in docs/installing.md: `node run.ts`. With `--write` it writes the table instead.
 */

import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { freePort } from '../../test/serve.ts';
import type { Outcome, Report } from './inside/check.ts';
import { installPackage } from './installed-package.ts';
import { importMapOf, readGraph } from './modules.ts';
import { checkContents } from './package-contents.ts';
import { disagreements, type Row, withTable } from './runtimes-table.ts';
import { type Command, listRuntimes } from './runtimes.ts';
import { startServer } from './server.ts';

const PAGE = new URL('../../docs/installing.md', import.meta.url);
const RUNTIME_TIMEOUT_MS = 300_000;

const installation = await installPackage();
try {
  const contents = await checkContents(installation);
  print('package', '', contents);
  const rows = await runAll(installation.folder);
  const missing = rows.filter(({ report }) => report === undefined).map(({ name }) => name);
  if (missing.length > 0) console.log(`left out, for this machine does not have it: ${missing.join(', ')}`);

  const all = [...contents, ...rows.flatMap(({ report }) => report?.checks ?? [])];
  const page = await readFile(PAGE, 'utf8');
  if (all.some(({ error }) => error !== undefined)) process.exitCode = 1;
  else if (process.argv.includes('--write')) await writeFile(PAGE, withTable(page, rows));
  else {
    const wrong = disagreements(page, rows);
    for (const sentence of wrong) console.error(sentence);
    if (wrong.length > 0) {
      console.error('npm run runtimes writes the table.');
      process.exitCode = 1;
    }
  }
} finally {
  await installation.remove();
}

async function runAll(folder: string): Promise<readonly Row[]> {
  const server = await startServer(folder, await pageOf(folder));
  const refusedUrl = `http://127.0.0.1:${await freePort()}/`;
  try {
    const rows: Row[] = [];
    for (const { name, isPinned, command } of await listRuntimes(folder, { origin: server.origin, refusedUrl })) {
      const report = command && (await start(command));
      if (report !== undefined) print(name, report.version, report.checks);
      rows.push({ name, isPinned, report });
    }
    return rows;
  } finally {
    await server.close();
  }
}

async function pageOf(folder: string): Promise<string> {
  const importMap = importMapOf(await readGraph(folder, 'page.mjs'), '/installed/');
  return `<!doctype html><title>retry-transport</title>
<script type="importmap">${JSON.stringify(importMap)}</script>
<script type="module" src="/installed/page.mjs"></script>
`;
}

/** A runtime that does not start or does not end has one failed check. */
async function start({ file, arguments: args, environment }: Command): Promise<Report> {
  const child = spawn(file, args, {
    env: { ...process.env, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUNTIME_TIMEOUT_MS,
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(String(error)));
    child.once('close', (code, signal) => resolve(`exit ${code ?? signal}`));
  });
  const [output, errors, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const line = output.split('\n').find((candidate) => candidate.startsWith('{'));
  if (line !== undefined && end === 'exit 0') return JSON.parse(line);
  return { version: '?', checks: [{ name: 'it runs', error: `${end}\n${output}${errors}`.trimEnd() }] };
}

function print(name: string, version: string, checks: readonly Outcome[]): void {
  const failed = checks.filter(({ error }) => error !== undefined);
  const head = failed.length === 0 ? 'ok    ' : 'failed';
  console.log(`${head} ${name.padEnd(8)} ${version.padEnd(14)} ${checks.length - failed.length} of ${checks.length}`);
  for (const check of failed) console.log(`       ${check.name}\n       ${check.error?.replaceAll('\n', '\n       ')}`);
}
