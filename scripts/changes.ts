/** What has changed in the repository, which files a change reaches, and which tests see it first. */

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The output of git, or undefined where git fails or is not installed. */
export function git(...args: readonly string[]): Buffer | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? stdout : undefined;
}

const linesOf = (output: Buffer | undefined): readonly string[] =>
  output
    ?.toString()
    .split('\n')
    .filter((line) => line !== '') ?? [];

/**
 * The commit that a change is compared with: where a branch left the named one; without a name the last commit, or the one
 * before it if everything is committed.
 */
export function baseOf(branch: string | undefined): string | undefined {
  const isClean = linesOf(git('status', '--porcelain')).length === 0;
  const output =
    branch === undefined
      ? ((isClean ? git('rev-parse', '--verify', 'HEAD~1') : undefined) ?? git('rev-parse', '--verify', 'HEAD'))
      : git('merge-base', branch, 'HEAD');
  return linesOf(output)[0];
}

/** The files that differ from a commit, new ones included and deleted ones left out. */
export function changedSince(base: string): readonly string[] {
  return [
    ...linesOf(git('diff', '--name-only', '--diff-filter=d', base)),
    ...linesOf(git('ls-files', '--others', '--exclude-standard')),
  ];
}

/** The files that import one of these directly. What imports a file at the root of src/ is whatever uses the library, so those do not count. */
export function importersOf(paths: readonly string[]): readonly string[] {
  const wanted = new Set(paths.filter((path) => !/^src\/[^/]+$/.test(path)));
  const files = globSync('{src,test,mocks,bench,examples,scripts}/**/*.{ts,tsx,mjs}', {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  }).map((path) => path.replaceAll('\\', '/'));
  return files.filter((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].some(
      ([, path = '']) => wanted.has(posix.join(dirname(file), path)),
    ),
  );
}

/** The tests of a change, as arguments of vitest: those that mirror a file, and those that import it. */
export function testsOf(changed: readonly string[]): readonly string[] {
  return [...new Set([...changed.flatMap(mirrorOf), ...importersOf(changed).filter(isTest)])];
}

/** The folder of a part of the library, or the files that begin with a name, and random calls through all of it. */
function mirrorOf(path: string): readonly string[] {
  const [top = '', part = '', ...below] = path.split('/');
  if (isTest(path)) return [path];
  if (top === 'src')
    return [...(below.length > 0 ? [`test/${part}/`] : testFiles(part.replace('.ts', '*'))), 'test/simulation/'];
  return ['mocks', 'bench', 'examples'].includes(top) ? testFiles(`${top}{/**/*,}`) : [];
}

const testFiles = (pattern: string): readonly string[] =>
  globSync(`test/${pattern}.test.ts`, { cwd: root }).map((path) => path.replaceAll('\\', '/'));

const isTest = (path: string): boolean => path.startsWith('test/') && path.endsWith('.test.ts');
