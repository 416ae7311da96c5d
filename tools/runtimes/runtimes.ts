/** The runtimes, and how each is started. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Runtime {
  readonly name: string;
  /** Whether a lockfile sets its version, so that every machine has the same. */
  readonly isPinned: boolean;
  /** undefined: this machine does not have it, so it is left out. */
  readonly command: Command | undefined;
}

export interface Command {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Addresses {
  readonly origin: string;
  readonly refusedUrl: string;
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PLATFORM = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const NODE_BINARY = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';

/** What runs in Node, by the end of its name in the table. */
const PROGRAMS = { node: '', 'old-globals': ' without newer globals' } as const;

/** `folder`: the installation of the package. */
export async function listRuntimes(folder: string, { origin, refusedUrl }: Addresses): Promise<readonly Runtime[]> {
  const addresses = [origin, refusedUrl];
  const node = async (major: number, program: keyof typeof PROGRAMS = 'node'): Promise<Runtime> => {
    const file = await findNode(major);
    const command =
      file === undefined ? undefined : { file, arguments: [join(folder, `${program}.mjs`), ...addresses] };
    return { name: `Node ${major}${PROGRAMS[program]}`, isPinned: true, command };
  };
  const chromium = findChromium();
  return [
    await node(22),
    await node(24),
    await node(26),
    await node(26, 'old-globals'),
    {
      name: 'Deno',
      isPinned: true,
      command: {
        file: binary('deno'),
        arguments: [
          ...['run', '--no-prompt', '--no-remote', '--node-modules-dir=manual', '--allow-net=127.0.0.1'],
          ...[join(folder, 'deno.mjs'), ...addresses],
        ],
        environment: { DENO_DIR: join(folder, '.deno'), DENO_NO_UPDATE_CHECK: '1' },
      },
    },
    {
      name: 'Bun',
      isPinned: true,
      command: { file: binary('bun'), arguments: ['--no-install', join(folder, 'bun.mjs'), ...addresses] },
    },
    {
      name: 'workerd',
      isPinned: true,
      command: { file: process.execPath, arguments: [join(HERE, 'launchers/workerd.ts'), folder, ...addresses] },
    },
    {
      name: 'Chromium',
      isPinned: false,
      command:
        chromium === ''
          ? undefined
          : { file: process.execPath, arguments: [join(HERE, 'launchers/chromium.ts'), chromium, ...addresses] },
    },
  ];
}

/** Not every version exists for every platform. The repository is developed with 26. */
async function findNode(major: number): Promise<string | undefined> {
  const isDevelopment = major === 26;
  const home = isDevelopment ? '../node-runtime' : '.';
  const modules = isDevelopment ? '../../node_modules' : 'node_modules';
  const names = isDevelopment ? [`node-${PLATFORM}`, `node-bin-${PLATFORM}`] : [`node-${major}-${PLATFORM}`];
  const { optionalDependencies }: { optionalDependencies: Readonly<Record<string, string>> } = JSON.parse(
    await readFile(join(HERE, home, 'package.json'), 'utf8'),
  );
  const name = names.find((candidate) => candidate in optionalDependencies);
  return name === undefined ? undefined : join(HERE, modules, name, NODE_BINARY);
}

/** No npm package contains it; '' if it is not installed. */
function findChromium(): string {
  const found = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file));
  return process.env['CHROMIUM_PATH'] ?? found ?? '';
}

function binary(name: string): string {
  return join(HERE, 'node_modules/.bin', name);
}
