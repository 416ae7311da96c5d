/**
 * The package as users install it: built, packed, and unpacked into a folder outside of the repository, with its
 * declared dependencies and nothing else that an import could find.
 */

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INSIDE = fileURLToPath(new URL('inside', import.meta.url));

/** A folder with `node_modules`, and the programs that run inside of the runtimes as one file each. */
export interface Installation {
  readonly folder: string;
  /** The files of the package, relative to it. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

interface PackageJson {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export async function installPackage(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'retry-transport-runtimes-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await run('npm', ['run', 'build'], { cwd: ROOT });
    const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: ROOT,
      maxBuffer: 16 * 1024 * 1024,
    });
    const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(packed.stdout);
    const modules = join(folder, 'node_modules');
    const installed = join(modules, 'retry-transport');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
    await installDependencies(installed, modules);
    const { version } = await readPackageJson(installed);
    const dependencies = { 'retry-transport': version };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
    await bundleInside(folder);
    return { folder, files: files.map(({ path }) => path), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** They are those of the repository's own tests, in the versions that the package declares. */
async function installDependencies(of: string, modules: string): Promise<void> {
  const { dependencies = {} } = await readPackageJson(of);
  for (const [name, declared] of Object.entries(dependencies)) {
    const source = join(ROOT, 'node_modules', name);
    const { version } = await readPackageJson(source);
    if (/^\d/.test(declared) && version !== declared) {
      throw new Error(`${name} ${declared} is declared, ${version} is installed: npm ci.`);
    }
    await cp(source, join(modules, name), { recursive: true });
    await installDependencies(source, modules);
  }
}

/** Imports of packages are not bundled: each runtime resolves them in its own way. */
async function bundleInside(folder: string): Promise<void> {
  await build({
    absWorkingDir: INSIDE,
    entryPoints: ['node.ts', 'old-globals.ts', 'deno.ts', 'bun.ts', 'worker.ts', 'page.ts'],
    bundle: true,
    packages: 'external',
    // The paths of tsconfig.json lead to the sources; these imports must lead to the package.
    tsconfigRaw: {},
    format: 'esm',
    target: 'es2022',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  });
}

async function readPackageJson(folder: string): Promise<PackageJson> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}
