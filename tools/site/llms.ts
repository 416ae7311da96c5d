/** The pages for programs that read: https://llmstxt.org. */

import { USERS } from './contents.ts';
import type { Page } from './pages.ts';

/** The text of each file, by its name. Each page is also there as Markdown. */
export function llmsFiles(pages: readonly Page[], base: string): Readonly<Record<string, string>> {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const summary =
    '> A fetch for LLM APIs that waits when waiting helps, exactly as long as the server asks, and stops at once when it does not.';
  const sections = USERS.map(({ title, pages: listed }) => {
    const lines = listed.flatMap(({ path, title: label }) => {
      const page = byPath.get(path);
      return page === undefined ? [] : [`- [${label}](${base}${path}.md): ${firstSentence(page.markdown)}`];
    });
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  const texts = USERS.flatMap(({ pages: listed }) => listed.flatMap(({ path }) => byPath.get(path)?.markdown ?? []));
  const ofPages = pages.filter(({ path }) => path !== 'index').map(({ path, markdown }) => [`${path}.md`, markdown]);
  return {
    'llms.txt': `# retry-transport\n\n${summary}\n\n${sections.join('\n\n')}\n`,
    'llms-full.txt': `# retry-transport\n\n${summary}\n\n${texts.join('\n\n')}\n`,
    ...Object.fromEntries(ofPages),
  };
}

function firstSentence(markdown: string): string {
  const paragraph =
    markdown
      .replace(/^---[\s\S]*?---\n/, '')
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .split('\n\n')
      .find((part) => /^[\p{L}`*"[]/u.test(part)) ?? '';
  const plain = paragraph
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}
