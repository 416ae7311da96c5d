/**
 * Plants each fault in a copy of the repository and runs the test that must detect it. A test that passes without its
 * guard proves nothing.
 *
 * node run.ts [words of a threat]
 */

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAULTS, type Fault } from './faults.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'planted-'));
const LEFT_OUT = ['node_modules', '.git', 'dist', 'coverage', 'tools', 'reports'];

/** Whether the tests in these files pass. */
function passes(files: readonly string[]): Promise<boolean> {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--typecheck.enabled=false', '--reporter=dot', '--bail=1', ...files];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0));
  });
}

/** undefined: the fault was detected. */
async function plant({ file, guard, fault, test }: Fault): Promise<string | undefined> {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(guard).length !== 2) return `${file} does not have this guard exactly once: ${guard}`;
  writeFileSync(
    path,
    text.replace(guard, () => fault),
  );
  try {
    return (await passes([test])) ? `${test} passes without the guard in ${file}: ${guard}` : undefined;
  } finally {
    writeFileSync(path, text);
  }
}

const words = process.argv.slice(2).join(' ');
const faults = FAULTS.filter(({ threat }) => threat.includes(words));
const problems: string[] = [];
try {
  cpSync(root, copy, { recursive: true, filter: (path) => path === root || !LEFT_OUT.includes(basename(path)) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  if (!(await passes([...new Set(faults.map(({ test }) => test))]))) throw new Error('The tests fail without a fault.');
  for (const fault of faults) {
    const problem = await plant(fault);
    if (problem !== undefined) problems.push(problem);
    console.log(`${problem === undefined ? 'noticed' : 'MISSED '}  ${fault.threat}: ${fault.file}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
console.log(`${faults.length - problems.length} of ${faults.length} faults were noticed.`);
process.exitCode = problems.length === 0 ? 0 : 1;
