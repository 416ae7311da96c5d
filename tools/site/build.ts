/**
 * Builds the site into dist/site. The pages are first written into dist/pages, as VitePress reads them.
 *
 * SITE_BASE is the path under which the site will be served, such as `/retry-transport/`; by default it is `/`.
 */

import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vitepress';
import { readApi } from './api.ts';
import { findDeadLinks } from './dead-links.ts';
import { API_SIDEBARS, DIST, HERE, OUTPUT, PAGES_FOLDER, ROOT } from './folders.ts';
import { llmsFiles } from './llms.ts';
import { readPages } from './pages.ts';

const PUBLIC = join(PAGES_FOLDER, 'public');
const base = process.env['SITE_BASE'] ?? '/';
if (!/^\/(?:.*\/)?$/.test(base)) throw new Error(`SITE_BASE must begin and end with a slash, got ${base}.`);
process.chdir(HERE);

const { repository }: { repository: { url: string } } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const repositoryUrl = repository.url.replaceAll(/^git\+|\.git$/g, '');

await rm(DIST, { recursive: true, force: true });
await mkdir(PUBLIC, { recursive: true });
const [api] = await Promise.all([readApi(ROOT, repositoryUrl), buildChat(), copyFiles()]);
const incomplete = api.names.flatMap(({ entry, name, sentence, example }) => {
  if (sentence === '') return [`${name} of ${entry} has no sentence in its docstring.`];
  return example === undefined ? [`${name} of ${entry} has no example in examples/.`] : [];
});
stopAt(incomplete);

const pages = readPages({ root: ROOT, url: repositoryUrl });
for (const { path, markdown } of pages) await write(join(PAGES_FOLDER, `${path}.md`), markdown);
await write(API_SIDEBARS, JSON.stringify(await api.write(join(PAGES_FOLDER, 'api'))));
await build(HERE);
// Only now: VitePress would take these for pages.
for (const [name, text] of Object.entries(llmsFiles(pages, base))) await write(join(OUTPUT, name), text);
stopAt(findDeadLinks(OUTPUT, base).map(({ page, target }) => `${page} links to ${target}, which is not there.`));
console.log(`${pages.length} pages and ${api.names.length} public names are in ${OUTPUT}`);

function stopAt(mistakes: readonly string[]): void {
  for (const mistake of mistakes) console.error(mistake);
  if (mistakes.length > 0) process.exit(1);
}

/** The chat page, which plays recordings in the browser. */
async function buildChat(): Promise<void> {
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const options = ['--base', './', '--outDir', join(PUBLIC, 'chat-web'), '--logLevel', 'error'];
  await promisify(execFile)(process.execPath, [vite, 'build', 'examples/chat-web', ...options], { cwd: ROOT });
}

async function copyFiles(): Promise<void> {
  await cp(join(ROOT, 'mocks/recordings'), join(PUBLIC, 'recordings'), { recursive: true });
  await cp(join(ROOT, 'docs'), PUBLIC, { recursive: true, filter: (path) => !path.endsWith('.md') });
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
