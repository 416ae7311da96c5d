import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { PAGES, withExamples, withTable } from '../../scripts/embed-examples.ts';
import { taxonomyTable } from '../../scripts/list-failure-types.ts';
import { PROVIDERS } from '../../src/classify/providers.ts';
import { createRetryFetch, FAILURES, presets, STOP_REASONS } from '../../src/index.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const pagesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`);

const pages = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'mocks/README.md', 'tools/README.md'],
  ...['bench/', 'bench/bad-day/', 'bench/herd/', 'bench/limiters/', 'bench/limiters/real/'].flatMap(pagesIn),
  ...pagesIn('docs/'),
  ...pagesIn('docs/sdks/'),
];

/** What a page points at inside the repository, from its root. Code is no text. */
function targetsIn(page: string): readonly string[] {
  const text = read(page).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => decodeURI(new URL(target, new URL(page, root)).href.slice(root.href.length)));
}

/** The name that a heading has in a link. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

function isThere(target: string): boolean {
  const [path = '', anchor] = target.split('#');
  if (!existsSync(new URL(path, root))) return false;
  if (anchor === undefined || !path.endsWith('.md')) return true;
  return [...read(path).matchAll(/^#+ (.*)$/gm)].some(([, heading = '']) => anchorOf(heading) === anchor);
}

test.each(pages)('each link in %s has an existing target', (page) => {
  expect(targetsIn(page).filter((target) => !isThere(target))).toEqual([]);
});

test('the index links to every page', () => {
  const targets = targetsIn('docs/README.md');
  const missing = pagesIn('docs/').filter((page) => page !== 'docs/README.md' && !targets.includes(page));
  expect(missing).toEqual([]);
});

test.each(PAGES)('%s shows its examples unchanged (if not: `npm run pages`)', (page) => {
  expect(read(page)).toBe(withExamples(read(page)));
});

test('each example is shown on a page, or a page links to it', () => {
  const shown = pages.flatMap((page) => [
    ...targetsIn(page),
    ...[...read(page).matchAll(/<!-- example: ([\w.-]+) -->/g)].map(([, name]) => `examples/${name}`),
  ]);
  const examples = readdirSync(new URL('examples/', root))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `examples/${name}`);
  expect(examples.filter((example) => !shown.includes(example))).toEqual([]);
});

test('each public name has a sentence in its docstring', () => {
  const undescribed = pagesIn('etc/').flatMap((report) =>
    [...read(report).matchAll(/^(.*)\nexport (?:abstract )?\w+ (\w+)/gm)]
      .filter(([, above = '']) => above.includes('(undocumented)'))
      .map(([, , name]) => `${report} ${name}`),
  );
  expect(undescribed).toEqual([]);
});

describe('a table has a row for each', () => {
  const rowsOf = (page: string): readonly (string | undefined)[] =>
    [...read(page).matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);

  test('reason for stopping', () => {
    expect(rowsOf('docs/stopping.md')).toEqual(expect.arrayContaining(Object.keys(STOP_REASONS)));
  });

  test('type of failure', () => {
    expect(rowsOf('docs/classification.md')).toEqual(Object.keys(FAILURES));
  });
});

test('docs/classification.md names every family that has rules', async () => {
  const page = read('docs/classification.md').toLowerCase();
  const families = Object.keys(PROVIDERS);
  expect(families.filter((name) => !page.includes(name))).toEqual([]);
});

test('docs/classification.md has the taxonomy (if not: `npm run pages`)', () => {
  const page = read('docs/classification.md');
  expect(page).toContain(taxonomyTable());
  expect(withTable(page, 'taxonomy', taxonomyTable())).toBe(page);
});

describe('the README', () => {
  const readme = read('README.md');

  test('calls createRetryFetch only with options that exist', () => {
    const calls = [...readme.matchAll(/`(createRetryFetch\([^`]*\))`/g)].map(([, call = '']) => call);
    expect(calls.length).toBeGreaterThan(5);
    const notMade = calls.filter(
      (call) => typeof runInNewContext(call, { createRetryFetch, presets, yourFetch: fetch }) !== 'function',
    );
    expect(notMade).toEqual([]);
  });

  test('has at most 120 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  test.each(['npm ci && npm start', 'npm ci && npm test'])('names the command `%s`', (command) => {
    const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.split('\n'));
    expect(commands.map((line) => line.replace(/ *#.*$/, ''))).toContain(command);
  });

  test('begins with the options that the page on the SDK recommends', () => {
    const [, preset = ''] = /createRetryFetch\(\{ \.\.\.(presets\.\w+), answers \}\)/.exec(readme) ?? [];
    expect(preset).not.toBe('');
    expect(read('docs/sdks/openai.md')).toContain(`createRetryFetch(${preset})`);
  });

  test('names the longer hints that the SDK of Anthropic obeys, as its page does', () => {
    const [row = ''] = /^\| .*@anthropic-ai\/sdk.*$/m.exec(readme) ?? [];
    const [, longest = ''] = /(maxRetryAfterMs: [\d_]+)/.exec(read('docs/sdks/anthropic.md')) ?? [];
    expect(longest).not.toBe('');
    expect(row).toContain(longest);
  });

  test('shows code before the commands for a clone', () => {
    expect(readme.indexOf('```ts')).toBeLessThan(readme.indexOf('npm ci && npm start'));
  });
});
