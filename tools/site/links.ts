/** Leads the links of a page of the repository to where their targets stand on the site. */

import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { PAGES } from './contents.ts';

const PLACES: ReadonlyMap<string, string> = new Map(
  PAGES.flatMap(({ source, path }) => (source === undefined ? [] : [[source, path] as const])),
);

/** What is not the text of a page: blocks of code, and code between backticks. */
const CODE = /(^```[\s\S]*?^```$|`[^`\n]*`)/m;

export interface Repository {
  readonly root: string;
  /** Where its files can be read, for those that are no pages of the site. */
  readonly url: string;
}

/**
 * A page with its links, as its place on the site needs them.
 *
 * @throws Error if a link has no target
 */
export function withSiteLinks(markdown: string, source: string, repository: Repository): string {
  const lead = (target: string): string => siteLink(target, source, repository);
  return outsideCode(markdown, (text) =>
    text
      .replaceAll(/\]\(([^)\s]+)\)/g, (_link, target: string) => `](${lead(target)})`)
      .replaceAll(/\b(src|srcset|href)="([^"]+)"/g, (_attribute, name, target: string) => `${name}="${lead(target)}"`),
  );
}

/** Changes the text of a page, and leaves its code as it is. */
export function outsideCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(new RegExp(CODE, 'm'))
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

function siteLink(target: string, source: string, repository: Repository): string {
  if (/^[a-z]+:|^#/i.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const file = posix.normalize(posix.join(posix.dirname(source), decodeURI(path)));
  if (!existsSync(join(repository.root, file))) throw new Error(`${source} links to ${target}, which does not exist.`);
  return addressOf(file, repository) + (anchor === undefined ? '' : `#${anchor}`);
}

function addressOf(file: string, { root, url }: Repository): string {
  const place = PLACES.get(file);
  if (place !== undefined) return `/${place.replace(/(^|\/)index$/, '$1')}`;
  const image = /^docs\/(.*\.(?:svg|png))$/.exec(file)?.[1];
  if (image !== undefined) return `/${image}`;
  const example = /^examples\/([\w-]+)\.ts$/.exec(file)?.[1];
  if (example !== undefined) return `/examples/${example}`;
  if (/^examples\/?$/.test(file)) return '/examples/';
  if (/^examples\/chat-web\/?$/.test(file)) return '/demo';
  const recording = /^mocks\/recordings\/([\w-]+\.json)$/.exec(file)?.[1];
  if (recording !== undefined) return `/recordings/${recording}`;
  return `${url}/${statSync(join(root, file)).isDirectory() ? 'tree' : 'blob'}/main/${file}`;
}
