/**
 * The pages of the API: TypeDoc reads the entry points, and each public name gets a page of its own with a sentence from
 * its docstring and an example from examples/.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { Application, DeclarationReflection, ReferenceReflection, ReflectionKind, type TypeDocOptions } from 'typedoc';
import type { DefaultTheme } from 'vitepress';
import { ENTRIES, type EntryPoint } from './entries.ts';
import { type Example, readExamples } from './examples.ts';

export interface PublicName {
  readonly entry: string;
  readonly name: string;
  readonly kind: string;
  /** What its docstring says first; empty if it has none. */
  readonly sentence: string;
  readonly example: Example | undefined;
  /** Its file and line. */
  readonly source: string;
}

export interface Api {
  readonly names: readonly PublicName[];
  /** Writes a page for each entry and each name into a folder; returns the sidebars. */
  readonly write: (folder: string) => Promise<DefaultTheme.SidebarMulti>;
}

/** How TypeDoc writes the pages: one per name, its members as sections. */
const LAYOUT = {
  outputFileStrategy: 'members',
  entryFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  pageTitleTemplates: { index: 'API', member: '{name}', module: '{name}' },
  useCodeBlocks: true,
  parametersFormat: 'table',
};

/** Functions first: a person looks for what to call. */
const ORDER: TypeDocOptions = {
  kindSortOrder: ['Function', 'Class', 'Variable', 'Interface', 'TypeAlias'],
  sort: ['kind', 'alphabetical'],
};

export async function readApi(root: string, repositoryUrl: string): Promise<Api> {
  const application = await Application.bootstrapWithPlugins({
    entryPoints: ENTRIES.map(({ source }) => join(root, source)),
    tsconfig: join(root, 'tsconfig.json'),
    basePath: root,
    displayBasePath: root,
    plugin: ['typedoc-plugin-markdown'],
    // The types are checked elsewhere, by another TypeScript.
    skipErrorChecking: true,
    excludePrivate: true,
    excludeInternal: true,
    excludeExternals: true,
    disableGit: true,
    sourceLinkTemplate: `${repositoryUrl}/blob/main/{path}#L{line}`,
    readme: 'none',
    logLevel: 'Error',
    ...LAYOUT,
    ...ORDER,
  });
  const project = await application.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the entry points.');
  const examples = readExamples(root);
  const declarations = (project.children ?? []).flatMap((module) => {
    const entry = ENTRIES.find(({ source }) => module.sources?.[0]?.fileName === source);
    if (entry === undefined) throw new Error(`TypeDoc found a module that is no entry: ${module.name}.`);
    module.name = entry.name;
    return (module.children ?? []).map((declaration) => ({ declaration, entry: entry.name }));
  });
  const described = new Map<unknown, PublicName>(
    declarations.map(({ declaration, entry }) => {
      const target = targetOf(declaration);
      const [source] = target.sources ?? [];
      return [
        declaration,
        {
          entry,
          name: declaration.name,
          kind: ReflectionKind.singularString(target.kind).toLowerCase(),
          sentence: sentenceOf(target),
          example: examples(entry, declaration.name),
          source: source === undefined ? '' : `${source.fileName}#L${source.line}`,
        },
      ];
    }),
  );
  const write = async (folder: string): Promise<DefaultTheme.SidebarMulti> => {
    const urls = new Map<unknown, string>();
    application.renderer.on('endPage', (page: { url: string; model: unknown; contents?: string }) => {
      urls.set(page.model, page.url);
      const found = described.get(page.model);
      const text = (page.contents ?? '').replaceAll(/^Defined in: .*\n\n/gm, '');
      const entry = ENTRIES.find(({ name }) => page.url === `${name}/index.md`);
      if (entry !== undefined) page.contents = withSentence(text, entry);
      else page.contents = found === undefined ? text : withExample(text, found) + sourceLink(found, repositoryUrl);
    });
    await application.outputs.writeOutput({ name: 'markdown', path: folder }, project);
    await writeFile(join(folder, 'index.md'), indexPage());
    for (const [declaration, found] of described) {
      if (!(declaration instanceof ReferenceReflection)) continue;
      const target = urls.get(targetOf(declaration));
      if (target === undefined) throw new Error(`TypeDoc wrote no page for ${found.name}.`);
      const url = posix.join(found.entry, ...target.split('/').slice(-2));
      urls.set(declaration, url);
      await mkdir(dirname(join(folder, url)), { recursive: true });
      await writeFile(join(folder, url), referencePage(found, `/api/${target}`, repositoryUrl));
    }
    return sidebarsOf(declarations.map((one) => ({ ...one, url: urls.get(one.declaration) ?? '' })));
  };
  return { names: [...described.values()], write };
}

function targetOf(declaration: DeclarationReflection): DeclarationReflection {
  if (!(declaration instanceof ReferenceReflection)) return declaration;
  const target = declaration.getTargetReflectionDeep();
  if (!(target instanceof DeclarationReflection)) throw new Error(`${declaration.name} names no declaration.`);
  return target;
}

function sentenceOf(declaration: DeclarationReflection): string {
  const comment = declaration.comment ?? declaration.signatures?.[0]?.comment;
  const text = (comment?.summary ?? []).map((part) => part.text).join('');
  return text.replaceAll('\n', ' ').trim();
}

function importLine({ entry, name, kind }: PublicName): string {
  const isType = kind === 'interface' || kind === 'type alias';
  return `\`\`\`ts\nimport { ${isType ? 'type ' : ''}${name} } from '${entry}';\n\`\`\``;
}

function indexPage(): string {
  const entries = ENTRIES.map(({ name, sentence }) => `| [${name}](/api/${name}/) | ${sentence} |`);
  const text = 'Each public name has a page with a sentence, an example that the tests run, and its types.';
  const pages = '[Entry points](/entries) says what each entry needs, and [options](/options) lists all options.';
  return `# API\n\n${text} ${pages}\n\n| import | what it has |\n| --- | --- |\n${entries.join('\n')}\n`;
}

function withSentence(page: string, { sentence }: EntryPoint): string {
  return page.replace(/^# .*$/m, (heading) => `${heading}\n\n${sentence}`);
}

/** With the line that imports it, and with its example before its parts. */
function withExample(page: string, found: PublicName): string {
  const [head = '', ...parts] = page.split(/^(?=## )/m);
  const text = head.replace(/^# .*$/m, (heading) => `${heading}\n\n${importLine(found)}`);
  // An overloaded function has its sentence only below its signatures.
  const sentence = parts[0]?.startsWith('## Call Signature') ? `${found.sentence}\n\n` : '';
  return `${text}\n${sentence}${exampleOf(found)}\n${parts.join('')}`;
}

function exampleOf({ example }: PublicName): string {
  return example === undefined ? '' : `## Example\n\n\`\`\`ts\n${example.code.trimEnd()}\n\`\`\`\n`;
}

function sourceLink({ source }: PublicName, repositoryUrl: string): string {
  return `\n\n[Its source](${repositoryUrl}/blob/main/${source})\n`;
}

/** A name that an entry shares with another one. */
function referencePage(found: PublicName, target: string, repositoryUrl: string): string {
  const page = `# ${found.name}\n\n${importLine(found)}\n\n${found.sentence}\n\nIt is [the same ${found.kind}](${target}) as in another entry.`;
  return `${page}\n\n${exampleOf(found)}${sourceLink(found, repositoryUrl)}`;
}

interface Listed {
  readonly entry: string;
  readonly declaration: DeclarationReflection;
  readonly url: string;
}

/** The pages of an entry list its names, and the other entries. */
function sidebarsOf(names: readonly Listed[]): DefaultTheme.SidebarMulti {
  const entries = ENTRIES.map(({ name }) => ({ text: name, link: `/api/${name}/` }));
  const others = { text: 'Entry points', items: entries };
  const sidebars = ENTRIES.map(({ name }) => {
    const items = names
      .filter(({ entry }) => entry === name)
      .map(({ declaration, url }) => ({ text: declaration.name, link: `/api/${url.replace(/\.md$/, '')}` }));
    return [`/api/${name}/`, [others, { text: name, items }]] as const;
  });
  return { '/api/': [others], ...Object.fromEntries(sidebars) };
}
