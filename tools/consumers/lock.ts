/**
 * Writes the lockfile of each program, or of the named ones. It leaves out the package itself, which is installed from
 * its tarball.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
const only = process.argv.slice(2);
for (const program of globSync('*/package.json', { cwd: here }).map(dirname)) {
  if (only.length > 0 && !only.includes(program)) continue;
  const place = mkdtempSync(join(tmpdir(), 'retry-transport-lock-'));
  cpSync(join(here, '.npmrc'), join(place, '.npmrc'));
  cpSync(join(here, program, 'package.json'), join(place, 'package.json'));
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: place, stdio: 'inherit' });
  cpSync(join(place, 'package-lock.json'), join(here, program, 'package-lock.json'));
  rmSync(place, { recursive: true });
}
