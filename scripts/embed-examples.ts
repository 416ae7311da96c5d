/**
 * Writes the examples into the pages that show them: the block after `<!-- example: name.ts -->` becomes the file of
 * that name in examples/, or the file at that path if it has a folder. Run `npm run pages` after changing an example.
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const BLOCK = /(<!-- example: ([\w./-]+) -->\n)(?:\n*```tsx?\n[\s\S]*?```\n)?/g;

/** The pages, as paths from the root. */
export const PAGES: readonly string[] = globSync(['*.md', 'docs/**/*.md', 'mocks/*.md'], { cwd: fileURLToPath(root) });

/** A page with its current examples. */
export function withExamples(page: string): string {
  return page.replaceAll(BLOCK, (_block, comment: string, name: string) => {
    const path = name.includes('/') ? name : `examples/${name}`;
    const language = path.endsWith('.tsx') ? 'tsx' : 'ts';
    return `${comment}\`\`\`${language}\n${readFileSync(new URL(path, root), 'utf8')}\`\`\`\n`;
  });
}

/** A page with a new table between `<!-- name -->` and `<!-- /name -->`. */
export function withTable(page: string, name: string, table: string): string {
  const old = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
  return page.replace(old, (_all, open: string, close: string) => `${open}${table}${close}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const path of PAGES) {
    const page = new URL(path, root);
    writeFileSync(page, withExamples(readFileSync(page, 'utf8')));
  }
}
