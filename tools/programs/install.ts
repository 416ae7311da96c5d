/** Installs agents from the registry, each into its own folder, which is never committed. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Agent } from './agents/agent.ts';

export function installedFolder({ name }: Agent): string {
  return fileURLToPath(new URL(`installed/${name}`, import.meta.url));
}

/** Does nothing if the agent is already installed. Install scripts are not run. */
export async function install(agent: Agent): Promise<void> {
  const folder = installedFolder(agent);
  const pinned = JSON.stringify({ private: true, description: agent.packages.join(' ') });
  if (existsSync(`${folder}/${agent.bin}`)) return;
  console.log(`Installing ${agent.packages.join(', ')} …`);
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/package.json`, pinned);
  const args = [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--save-exact',
  ];
  const child = spawn('npm', [...args, ...agent.packages], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  if (code !== 0) throw new Error(`npm could not install ${agent.packages.join(', ')}.`);
}
