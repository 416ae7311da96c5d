import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const NOT_OURS = ['node_modules', '.git', 'dist', 'coverage', 'reports', '.stryker-tmp'];
/** Texts of other people, as they wrote them; recordings have a check of their own. */
const QUOTED = [/^tools\/accuracy\/sample\//, /^mocks\/recordings\//, /^test\/mocks\/recordings\.test\.ts$/];

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.includes(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [relative(root, path).split(sep).join('/')];
  });
}

const files = filesBelow(root).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** The lines in which a pattern is found, each with its file. */
function linesWith(pattern: RegExp, chosen: (path: string) => boolean): readonly string[] {
  return files
    .filter(({ path }) => chosen(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
    );
}

test('no file names a path of the machine on which it was written', () => {
  const homes = ['home', 'root', 'tmp', 'work', 'Users'].join('|');
  expect(linesWith(new RegExp(`(?<![\\w.~)}:/-])/(?:${homes})/[\\w.]`, 'g'), isOurs)).toEqual([]);
});

test('no file names the host of a registry of packages, lockfiles included', () => {
  const hosts = ['npmjs', 'yarnpkg', 'npmmirror'].join('|');
  expect(linesWith(new RegExp(`registry\\.(?:${hosts})`, 'g'), isOurs)).toEqual([]);
  expect(linesWith(/"resolved": "\w+:/g, (path) => path.endsWith('package-lock.json'))).toEqual([]);
});

test('the title of a table of tests says what holds, and not only which row it is', () => {
  const bare = files
    .filter(({ path }) => path.endsWith('.ts') && /^(?:test|tools)\//.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\)\(\s*(['"`])((?:(?!\1).)*)\1\s*,/g)]
        .filter(([, , title = '']) => !/[a-z]{2}/i.test(title.replaceAll(/%[a-z#]|\$[\w.]+/gi, '')))
        .map(({ index, 2: title }) => `${path}:${text.slice(0, index).split('\n').length} ${title}`),
    );
  expect(bare).toEqual([]);
});

function isOurs(path: string): boolean {
  return !QUOTED.some((pattern) => pattern.test(path));
}
