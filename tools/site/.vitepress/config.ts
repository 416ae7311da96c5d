/** What VitePress is told. build.ts calls it, after it has written the pages. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { anchorOf } from '../anchors.ts';
import { MAINTAINERS, type Section, USERS } from '../contents.ts';
import { SEARCH } from '../search.ts';

// VitePress bundles this file, so that it stands at no place of its own.
const dist = join(process.cwd(), 'dist');
const apiSidebars: DefaultTheme.SidebarMulti = JSON.parse(readFileSync(join(dist, 'api-sidebars.json'), 'utf8'));

const sidebarOf = (sections: readonly Section[]): DefaultTheme.SidebarItem[] =>
  sections.map(({ title, pages }) => ({
    text: title,
    items: pages.map((page) => ({ text: page.title, link: `/${page.path.replace(/(^|\/)index$/, '$1')}` })),
  }));

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%23e9b949'/%3E%3C/svg%3E";

export default defineConfig({
  title: 'retry-transport',
  description: 'A fetch for LLM APIs that waits when waiting helps, exactly as long as the server asks.',
  lang: 'en',
  base: process.env['SITE_BASE'] ?? '/',
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  cacheDir: 'dist/cache',
  // dead-links.ts checks what these are, and the anchors of all others.
  ignoreDeadLinks: [/^\/(?:recordings|chat-web)\//],
  markdown: { anchor: { slugify: anchorOf }, toc: { slugify: anchorOf }, headers: { slugify: anchorOf } },
  head: [['link', { rel: 'icon', href: ICON }]],
  themeConfig: {
    nav: [
      { text: 'Get started', link: '/start' },
      { text: 'I have this problem', link: '/problems' },
      { text: 'Demo', link: '/demo' },
      { text: 'API', link: '/api/' },
      { text: 'Maintainers', link: '/maintainers/contributing', activeMatch: '/maintainers/' },
    ],
    sidebar: { '/maintainers/': sidebarOf(MAINTAINERS), ...apiSidebars, '/': sidebarOf(USERS) },
    outline: [2, 3],
    search: { provider: 'local', options: SEARCH },
    docFooter: { prev: false, next: false },
  },
});
