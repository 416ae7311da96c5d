import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../tools/site/contents.ts';
import { ENTRIES } from '../../tools/site/entries.ts';
import { readExamples } from '../../tools/site/examples.ts';
import { readPages } from '../../tools/site/pages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const pagesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

describe('the sidebar of the site', () => {
  test('has every page of docs', () => {
    const sources = PAGES.map(({ source }) => source);
    expect(pagesIn('docs').filter((page) => !sources.includes(page))).toEqual([]);
  });

  test('has each page once', () => {
    const paths = PAGES.map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
  });
});

test('each link of a page of the site has an existing target', () => {
  const pages = readPages({ root, url: 'https://example.com' });
  expect(pages.length).toBeGreaterThan(PAGES.length);
});

describe('the API on the site', () => {
  test('has each entry of the package', () => {
    const { exports }: { exports: Readonly<Record<string, unknown>> } = JSON.parse(read('package.json'));
    const names = Object.keys(exports).filter((path) => path !== './package.json');
    const imports = names.map((path) => path.replace('.', 'retry-transport'));
    expect(ENTRIES.map(({ name }) => name).toSorted()).toEqual(imports.toSorted());
  });

  const names = ENTRIES.flatMap(({ name: entry }) => {
    const report = read(`etc/${entry === 'retry-transport' ? 'index' : entry.slice(16).replaceAll('/', '-')}.api.md`);
    return [...report.matchAll(/^(.*)\nexport (?:abstract )?\w+ (\w+)/gm)].map(([, above = '', name = '']) => ({
      entry,
      name,
      isDescribed: !above.includes('(undocumented)'),
    }));
  });

  test('has a sentence for each public name, in its docstring', () => {
    // The second signature of a function needs none.
    const nameless = names.filter(({ isDescribed, name }) => !isDescribed && name !== 'createRetryFetch');
    expect(nameless).toEqual([]);
  });

  test('has an example for each public name, from a file that is run', () => {
    const examples = readExamples(root);
    expect(names.filter(({ entry, name }) => examples(entry, name) === undefined)).toEqual([]);
  });
});
