/**
 * Measures the size of the package in a program: `npm run size` compares it with the limits of .size-limit.json, and
 * `npm run size -- --why` prints what each part of the library adds to each way of using it, and what each feature
 * adds.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Each file belongs to the first part whose pattern it matches. */
const PARTS: readonly (readonly [name: string, files: RegExp])[] = [
  ['p-retry, is-network-error', /node_modules/],
  ['gate', /src\/gate\//],
  ['chain and key rotation', /src\/route\/(?:create-fallback|key-rotation)/],
  ['route', /src\/route\//],
  ['controller', /src\/events\/controller/],
  ['events', /src\/events\//],
  ['thrown errors and quoted responses', /src\/classify\/(?:network-error|quote)/],
  ['classification: provider families', /src\/classify\/providers\//],
  ['classification: shared', /src\/classify\//],
  ['hints', /src\/hints\//],
  ['streams', /src\/stream\//],
  ['redaction', /src\/redact\//],
  ['taxonomy, errors', /src\/failure\//],
  ['options, presets, backoff', /src\/options\//],
  ['what makes a fetch', /src\/fetch\//],
  ['protocols', /src\/protocol\//],
  ['loop', /src\/loop\//],
];
const REST = 'faces, transports, runtime';

const USES = ['createRetryFetch', 'RetryTransport', 'withRetry', 'classify'];
/** The imports of a program besides `createRetryFetch`. */
const FEATURES = [
  'createGate',
  'createFallback',
  'createKeyRotation',
  'RetryController',
  'presets',
  'FetchTransport',
  'withRetry',
];

export interface Bundle {
  readonly minified: number;
  readonly gzipped: number;
  /** Minified bytes by source file, relative to the root of the repository. */
  readonly files: ReadonlyMap<string, number>;
}

/** The bundle of a program that uses only these exports of the core. */
export async function bundleOf(...names: readonly string[]): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${names.join(', ')} } from './src/index.ts'`, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    tsconfigRaw: {},
    metafile: true,
    write: false,
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs
    .map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const)
    .filter(([, bytes]) => bytes > 0);
  const code = outputFiles.map(({ text }) => text).join('');
  return {
    minified: Buffer.byteLength(code),
    gzipped: gzipSync(code, { level: 9 }).length,
    files: new Map(files),
  };
}

function partOf(path: string): string {
  return PARTS.find(([, files]) => files.test(path))?.[0] ?? REST;
}

async function explain(): Promise<void> {
  const bundles = await Promise.all(USES.map((name) => bundleOf(name)));
  console.log('Minified bytes that each part brings to a program which uses only\n');
  printRow('', USES);
  for (const part of [...PARTS.map(([name]) => name), REST]) {
    printRow(
      part,
      bundles.map(({ files }) => bytesOf(part, files) || '-'),
    );
  }
  printRow(
    'in all, minified',
    bundles.map(({ minified }) => minified),
  );
  printRow(
    'in all, gzip',
    bundles.map(({ gzipped }) => gzipped),
  );
  const base = await bundleOf('createRetryFetch');
  printRow(
    'gzip / createRetryFetch',
    bundles.map(({ gzipped }) => (gzipped / base.gzipped).toFixed(2)),
  );

  console.log('\nWhat a feature adds to createRetryFetch when a program imports it\n');
  printRow('', ['minified', 'gzip']);
  for (const feature of FEATURES) {
    const bundle = await bundleOf('createRetryFetch', feature);
    printRow(feature, [`+${bundle.minified - base.minified}`, `+${bundle.gzipped - base.gzipped}`]);
  }
}

function bytesOf(part: string, files: ReadonlyMap<string, number>): number {
  return [...files].reduce((sum, [path, bytes]) => (partOf(path) === part ? sum + bytes : sum), 0);
}

function printRow(head: string, cells: readonly (string | number)[]): void {
  console.log(head.padEnd(36) + cells.map((cell) => String(cell).padStart(18)).join(''));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--why')) await explain();
  else process.exitCode = spawnSync('size-limit', process.argv.slice(2), { stdio: 'inherit' }).status ?? 1;
}
