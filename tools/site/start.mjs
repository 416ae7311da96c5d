// `npm run site` in a clone: installs what is missing, and builds the site. Runs on any Node >= 20; what it starts runs
// on the Node that `npm ci` installs.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

function npm(...words) {
  const { status } = spawnSync('npm', words, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

/** Whether the packages of a folder are those of its lockfile. */
function isInstalled(folder) {
  const installed = new URL(`${folder}/node_modules/.package-lock.json`, new URL('../../', import.meta.url));
  const lockfile = new URL(`${folder}/package-lock.json`, new URL('../../', import.meta.url));
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs;
}

if (!existsSync(new URL('../../node_modules/vite', import.meta.url))) npm('ci');
if (!isInstalled('tools/site')) npm('ci', '--prefix', 'tools/site');
npm('--prefix', 'tools/site', 'start');
