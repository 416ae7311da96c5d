import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/**
 * The order of the folders, from what everything may use to what nothing uses: a file imports from its own line and from
 * the lines above it, types included. Files at the root of src/ are named one by one.
 */
const ORDER: readonly (readonly string[])[] = [
  ['runtime', 'transport.ts'],
  ['failure', 'redact'],
  ['hints', 'body', 'moments'],
  ['protocol'],
  ['classify'],
  ['events'],
  ['gate'],
  ['route'],
  ['options'],
  ['loop'],
  ['http', 'operation'],
  [
    'fetch-transport.ts',
    'retry-transport.ts',
    'retry-fetch.ts',
    'with-retry.ts',
    'retry-stream.ts',
    'retry-session.ts',
    'undici.ts',
    'index.ts',
  ],
  ['debug.ts', 'diagnostics.ts', 'event-adapters.ts', 'otel.ts', 'react.ts', 'llm', 'report', 'proxy'],
  ['cli'],
];

const root = fileURLToPath(new URL('../src', import.meta.url));

function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

const sources = sourcesBelow(root);

/** What each file imports or re-exports, types included, as paths below src/. */
const imports: ReadonlyMap<string, readonly string[]> = new Map(
  sources.map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const paths = [...text.matchAll(/(?:from|import)\s*\(?'(\.{1,2}\/[^']+)'/g)].map(([, path = '']) =>
      join(dirname(file), path).split(sep).join('/'),
    );
    return [file, paths.filter((path) => !path.startsWith('..'))] as const;
  }),
);

const partOf = (file: string): string => file.split('/')[0] ?? file;
const layerOf = (file: string): number => ORDER.findIndex((parts) => parts.includes(partOf(file)));

/** The nodes of a graph that lie on a circle, each with the way round. */
function circlesIn(graph: ReadonlyMap<string, Iterable<string>>): readonly string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, way: readonly string[]): void => {
    const start = way.indexOf(node);
    if (start >= 0) circles.push([...way.slice(start), node].join(' → '));
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}

describe('imports, type imports included,', () => {
  test('form no circle of files', () => {
    expect(circlesIn(imports)).toEqual([]);
  });

  test('form no circle of folders', () => {
    const folders = new Map<string, Set<string>>();
    for (const [file, paths] of imports) {
      const others = paths.map(partOf).filter((part) => part !== partOf(file));
      folders.set(partOf(file), new Set([...(folders.get(partOf(file)) ?? []), ...others]));
    }
    expect(circlesIn(folders)).toEqual([]);
  });

  test('lead only to the same part of src/ or to one that comes before it in the order', () => {
    const wrong = [...imports].flatMap(([file, paths]) =>
      paths
        .filter((path) => partOf(path) !== partOf(file) && layerOf(path) > layerOf(file))
        .map((path) => `${file} imports ${path}`),
    );
    expect(wrong).toEqual([]);
  });
});

test('each part of src/ has its place in the order', () => {
  expect(sources.filter((file) => layerOf(file) < 0)).toEqual([]);
  expect(new Set(ORDER.flat())).toEqual(new Set(sources.map(partOf)));
});

test('each file begins with a comment that says what it is for', () => {
  const silent = sources.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8').replace(/^#!.*\n/, '');
    return !text.trimStart().startsWith('/**');
  });
  expect(silent).toEqual([]);
});
