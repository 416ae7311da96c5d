/** The allowed contents of the published package: every entry, no tests or tools, and no details of this machine. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from './inside/check.ts';
import type { Installation } from './installed-package.ts';
import { readGraph } from './modules.ts';

/** Allowed paths; any other file is a mistake. */
const BELONGS: readonly RegExp[] = [
  /^(?:README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/,
  /^dist\/[\w-]+\.js(?:\.map)?$/,
  /^dist\/(?:src|mocks)\/(?:[\w-]+\/)*[\w-]+\.d\.ts(?:\.map)?$/,
  // The source maps refer to these.
  /^src\/(?:[\w-]+\/)*[\w-]+\.ts$/,
  /^docs\/(?:[\w-]+\/)*[\w-]+\.md$|^examples\/[\w-]+\.(?:ts|py)$/,
  /^mocks\/(?:README\.md|[\w-]+\.ts|recordings\/[\w.-]+\.json)$/,
];

interface Exported {
  readonly types: string;
  readonly default: string;
}

export async function checkContents({ folder, files }: Installation): Promise<readonly Outcome[]> {
  const { exports }: { exports: Readonly<Record<string, Exported | string>> } = JSON.parse(
    await readFile(join(folder, 'node_modules/retry-transport/package.json'), 'utf8'),
  );
  const targets = Object.values(exports)
    .flatMap((target) => (typeof target === 'string' ? [target] : [target.types, target.default]))
    .map((target) => target.replace(/^\.\//, ''));
  return [
    outcome('the package holds nothing that does not belong', foreignFiles(files)),
    outcome(
      'every entry of `exports` is in the package',
      targets.filter((target) => !files.includes(target)),
    ),
    outcome('the import names no built-in of Node', await builtinsOf(folder)),
  ];
}

/** The files that do not belong. */
export function foreignFiles(files: readonly string[]): readonly string[] {
  return files.filter((file) => !BELONGS.some((pattern) => pattern.test(file)));
}

async function builtinsOf(folder: string): Promise<readonly string[]> {
  try {
    await readGraph(folder, 'page.mjs');
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function outcome(name: string, wrong: readonly string[]): Outcome {
  return wrong.length === 0 ? { name } : { name, error: wrong.join(', ') };
}
