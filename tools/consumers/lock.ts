/**
 * Writes the lockfile of each program, or of the named ones. It leaves out the package itself, which is installed from
 * its tarball.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const here = import.meta.dirname;
const only = process.argv.slice(2);
for (const entry of readdirSync(here, { withFileTypes: true })) {
  if (!entry.isDirectory() || ['shared', 'node_modules'].includes(entry.name)) continue;
  if (only.length > 0 && !only.includes(entry.name)) continue;
  const place = mkdtempSync(join(tmpdir(), 'retry-transport-lock-'));
  for (const file of ['.npmrc', `${entry.name}/package.json`])
    cpSync(join(here, file), join(place, file.split('/').at(-1) ?? file));
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: place, stdio: 'inherit' });
  cpSync(join(place, 'package-lock.json'), join(here, entry.name, 'package-lock.json'));
  rmSync(place, { recursive: true });
}
