/**
 * The files that an import loads, for runtimes without node_modules: a browser gets an import map, workerd gets every
 * file by name. esbuild resolves the imports, and refuses built-ins of Node.
 */

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path/posix';
import { build } from 'esbuild';

/** The import of a package by its name. */
export interface NamedImport {
  readonly importer: string;
  readonly specifier: string;
  readonly file: string;
}

/** Files are relative to the folder of the installation, with slashes. */
export interface ModuleGraph {
  readonly files: readonly string[];
  readonly named: readonly NamedImport[];
}

/** @throws Error if an import does not exist on every runtime, such as a built-in of Node */
export async function readGraph(folder: string, entry: string): Promise<ModuleGraph> {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    metafile: true,
    logLevel: 'silent',
  });
  const named: NamedImport[] = [];
  for (const [importer, { imports }] of Object.entries(metafile.inputs)) {
    for (const { path, original = path } of imports) {
      if (!original.startsWith('.')) named.push({ importer, specifier: original, file: path });
    }
  }
  return { files: Object.keys(metafile.inputs), named };
}

/** For a page: `base` is the address of the folder. */
export function importMapOf({ named }: ModuleGraph, base: string): { readonly imports: Record<string, string> } {
  return { imports: Object.fromEntries(named.map(({ specifier, file }) => [specifier, base + file])) };
}

export interface WorkerModule {
  readonly type: 'ESModule';
  readonly path: string;
  readonly contents: string;
}

/** For Miniflare, the entry first. workerd looks for a package next to the file that imports it. */
export async function readModules(folder: string, entry: string): Promise<WorkerModule[]> {
  const { files, named } = await readGraph(folder, entry);
  const contents = new Map<string, string>();
  for (const file of files) contents.set(file, await readFile(join(folder, file), 'utf8'));
  const aliases = named.map(({ importer, specifier, file }): [path: string, contents: string] => {
    const path = join(dirname(importer), specifier);
    const target = '../'.repeat(path.split('/').length - 1) + file;
    const from = target.startsWith('.') ? target : `./${target}`;
    const isDefaultExported = /^export default |\bas default\b/m.test(contents.get(file) ?? '');
    return [path, `export * from '${from}';${isDefaultExported ? ` export { default } from '${from}';` : ''}`];
  });
  const others = [...contents].filter(([path]) => path !== entry);
  return [[entry, contents.get(entry) ?? ''], ...others, ...new Map(aliases)].map(([path = '', text = '']) => ({
    type: 'ESModule',
    path,
    contents: text,
  }));
}
