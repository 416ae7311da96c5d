/** Searches the built site as its search box does, from the index that the box loads. */

import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch, { type SearchResult } from 'minisearch';
import { OUTPUT } from './folders.ts';
import { SEARCH } from './search.ts';

let index: Promise<MiniSearch> | undefined;

/** The results, best first. The box shows sixteen. */
export async function searchSite(words: string): Promise<readonly SearchResult[]> {
  index ??= loadIndex();
  return (await index).search(words).slice(0, 16);
}

async function loadIndex(): Promise<MiniSearch> {
  const [file] = globSync('assets/**/*localSearchIndex*.js', { cwd: OUTPUT });
  if (file === undefined) throw new Error('The site has no search index; build it first.');
  const { default: json }: { default: string } = await import(pathToFileURL(join(OUTPUT, file)).href);
  const { options, searchOptions } = SEARCH.miniSearch ?? {};
  const fields = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] };
  return MiniSearch.loadJSON(json, { ...fields, searchOptions: searchOptions ?? {}, ...options });
}
