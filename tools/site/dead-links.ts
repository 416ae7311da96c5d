/** Finds the links of the built site that lead nowhere: to no page, or to no heading of it. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DeadLink {
  readonly page: string;
  readonly target: string;
}

export function findDeadLinks(site: string, base: string): readonly DeadLink[] {
  const files = new Set(globSync('**/*.*', { cwd: site }).map((file) => file.replaceAll('\\', '/')));
  const pages = new Map(
    [...files]
      .filter((file) => file.endsWith('.html') && !file.startsWith('chat-web/'))
      .map((file) => [file, readFileSync(join(site, file), 'utf8')] as const),
  );
  const anchors = new Map(
    [...pages].map(
      ([file, html]) => [file, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))] as const,
    ),
  );
  return [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/<(?:a|img|source|iframe)\b[^>]*? (?:href|src|srcset)="([^"]+)"/g)]
      .map(([, target = '']) => target.replaceAll('&amp;', '&'))
      .filter((target) => !/^[a-z]+:/i.test(target))
      .filter((target) => !isThere(target, page))
      .map((target) => ({ page, target })),
  );

  function isThere(target: string, page: string): boolean {
    const { pathname, hash } = new URL(target, new URL(page, `https://site.example${base}`));
    if (!pathname.startsWith(base)) return false;
    const path = decodeURI(pathname.slice(base.length));
    const file = [path, `${path}index.html`, `${path}.html`].find((name) => files.has(name));
    if (file === undefined) return false;
    return hash === '' || anchors.get(file)?.has(decodeURIComponent(hash.slice(1))) !== false;
  }
}
