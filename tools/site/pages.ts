/** The pages of the site as Markdown: those of the repository, and those that are made from README and the examples. */

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PAGES, type PlacedPage } from './contents.ts';
import { outsideCode, type Repository, withSiteLinks } from './links.ts';

export interface Page {
  /** The address, without an extension. */
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
}

/** Every page but those of the API. */
export function readPages(repository: Repository): readonly Page[] {
  const read = (path: string): string => readFileSync(join(repository.root, path), 'utf8');
  const placed = PAGES.flatMap((page) => {
    if (page.source === undefined) return [];
    const markdown = forSite(withSiteLinks(read(page.source), page.source, repository));
    return [{ path: page.path, title: titleOf(markdown, page), markdown }];
  });
  const readme = splitReadme(forSite(withSiteLinks(read('README.md'), 'README.md', repository)));
  const others = placed.map((page) =>
    page.path === 'start' ? { ...page, title: 'Get started', markdown: readme.start } : page,
  );
  return [
    ...others,
    { path: 'index', title: 'retry-transport', markdown: readme.home },
    DEMO,
    ...examplePages(repository),
  ];
}

function titleOf(markdown: string, { title }: PlacedPage): string {
  return /^# (.*)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? title;
}

/** What VitePress needs otherwise than GitHub. */
function forSite(markdown: string): string {
  return outsideCode(markdown, (text) =>
    text
      // The site has a switch of its own for the dark mode, which `prefers-color-scheme` does not know.
      .replaceAll(
        /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*<\/picture>/g,
        '<img class="when-dark" src="$1"$3 loading="lazy"><img class="when-light" src="$2"$3 loading="lazy">',
      )
      .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
      // Vue would read what stands between two pairs of braces.
      .replaceAll('{{', '&#123;&#123;'),
  );
}

interface Readme {
  readonly home: string;
  readonly start: string;
}

/** A text of the frontmatter, which VitePress shows as it is. */
function quoted(markdown = ''): string {
  return JSON.stringify(markdown.replaceAll('`', '').trim());
}

/** README becomes two pages: what convinces, and how to begin. */
function splitReadme(readme: string): Readme {
  const installAt = readme.indexOf('\n## Install\n');
  const intro = /^# .*\n\n(?<text>[^\n.]+)\. (?<tagline>[^\n]+)\n/.exec(readme)?.groups;
  const bullets = [...readme.slice(0, installAt).matchAll(/^- \*\*(?<title>.*?)\*\*(?<details>.*)$/gm)];
  const code = /^```ts\n[\s\S]*?^```$/m.exec(readme)?.[0];
  const measured = readme.slice(0, installAt).match(/^What changes, .*$/m)?.[0];
  const table = readme.match(/^<img class="when-dark" src="[^"]*bad-day[^\n]*$/m)?.[0];
  if (installAt === -1 || intro === undefined || code === undefined || bullets.length === 0) {
    throw new Error('README no longer begins with two sentences, code, and bullets before "## Install".');
  }
  const features = bullets.map(({ groups }) => {
    const feature = { title: groups?.['title'] ?? '', details: groups?.['details'] ?? '' };
    const details = feature.details.replace(/^: (\w)/, (_colon, first: string) => first.toUpperCase());
    const lines = [quoted(feature.title.replace(/\.$/, '')), quoted(details)];
    return `  - title: ${lines[0]}\n    details: ${lines[1]}`;
  });
  const home = `---
layout: home
title: retry-transport
titleTemplate: false
hero:
  name: retry-transport
  text: ${quoted(intro['text'])}
  tagline: ${quoted(intro['tagline'])}
  image:
    light: /images/chat-waiting-light.png
    dark: /images/chat-waiting-dark.png
    alt: A chat that shows why it waits, and for how long
  actions:
    - theme: brand
      text: Get started
      link: /start
    - theme: alt
      text: I have this problem
      link: /problems
    - theme: alt
      text: See it wait
      link: /demo
features:
${features.join('\n')}
---

<div class="home-text">

${code}

${measured ?? ''}

${table ?? ''}

</div>
`;
  return { home, start: `# Get started\n\n${code}\n${readme.slice(installAt)}` };
}

const DEMO: Page = {
  path: 'demo',
  title: 'Demo',
  markdown: `---
aside: false
---

# Demo

Choose what goes wrong, and send the question. The failures are [recordings](/failures) of real providers, which play in this page:
nothing leaves it. [In a user interface](/ui) explains the code, which is plain TypeScript over \`createRetryFetch\`.

<ChatDemo />
`,
};

function examplePages({ root, url }: Repository): readonly Page[] {
  const files = globSync('examples/*.ts', { cwd: root }).sort();
  const pages = files.map((file) => {
    const name = basename(file, '.ts');
    const code = readFileSync(join(root, file), 'utf8');
    const markdown = `# Example: ${name}\n\n\`\`\`ts\n${code}\`\`\`\n\nThe file [${file}](${url}/blob/main/${file}); the tests run it.\n`;
    return { path: `examples/${name}`, title: `Example: ${name}`, markdown };
  });
  const list = pages.map(({ path, title }) => `- [${title.slice('Example: '.length)}](/${path})`).join('\n');
  const index = `# Examples\n\nEach is a file that is type-checked and run by the tests.\n\n${list}\n`;
  return [{ path: 'examples/index', title: 'Examples', markdown: index }, ...pages];
}
