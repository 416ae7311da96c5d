/**
 * Measures the size of the library in a program: `npm run size` compares it with the limits and with the last commit, or
 * with the commit that is named; `npm run size -- --why` prints what each part of the library adds to each way of using
 * it.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { baseOf, git } from './changes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What a program imports, and the kilobytes of gzip that it may grow to: what was measured and 1 kB, rounded up, so that
 * a feature fits and a mistake does not. CONTRIBUTING.md says what to do when one is passed.
 */
const LIMITS: readonly (readonly [names: string, limitKb: number])[] = [
  ['parseRetryAfterHeader, retryHint', 4.4],
  ['createRetryFetch', 64.5],
  ['createRetryFetch, presets', 65],
  ['createRetryFetch, createGate', 83.5],
  ['withRetry', 52],
  ['formatDelay', 1.4],
];

/** The pages that tell the sizes of what a program loads, in whole kilobytes and in this order. */
const PAGES = ['README.md', 'docs/installing.md'];
const TOLD = ['createRetryFetch', 'createRetryFetch, presets', 'createRetryFetch, createGate', 'withRetry'];

/** Each file belongs to the first part whose pattern it matches. */
const PARTS: readonly (readonly [name: string, files: RegExp])[] = [
  ['p-retry, is-network-error', /node_modules/],
  ['gate', /src\/gate\//],
  [
    'chain and key rotation',
    /src\/(?:http\/(?:create-fallback|fetch-target|key-rotation)|route\/(?:chain-route|rests|own-route))/,
  ],
  ['route', /src\/(?:route|moments)\//],
  ['controller', /src\/events\/controller/],
  ['events', /src\/events\//],
  ['thrown errors and quoted responses', /src\/classify\/(?:network-error|quote)/],
  ['classification: provider families', /src\/classify\/providers\//],
  ['classification: shared', /src\/classify\//],
  ['hints', /src\/hints\//],
  ['streams', /src\/http\/(?:hold|stall-clocks|stream-errors|watch)/],
  ['redaction', /src\/redact\//],
  ['taxonomy, errors', /src\/failure\//],
  ['options, presets, backoff', /src\/options\//],
  ['requests and responses', /src\/(?:http|body)\//],
  ['protocols', /src\/protocol\//],
  ['loop', /src\/loop\//],
];
const REST = 'faces, transports, runtime';

const USES = ['createRetryFetch', 'RetryTransport', 'withRetry', 'classify'];
export interface Bundle {
  readonly minified: number;
  readonly gzipped: number;
  /** Minified bytes by source file, relative to the root of the repository. */
  readonly files: ReadonlyMap<string, number>;
}

/** The bundle of a program that uses only these exports of the core. */
export function bundleOf(...names: readonly string[]): Promise<Bundle> {
  return bundleIn(root, names);
}

/** What `/retry-after` exports, which is measured alone. */
const isOfHints = (names: readonly string[]): boolean => names.includes('retryHint');

async function bundleIn(folder: string, names: readonly string[]): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { ${names.join(', ')} } from './src/${isOfHints(names) ? 'hints/index' : 'index'}.ts'`,
      resolveDir: folder,
    },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    tsconfigRaw: {},
    metafile: true,
    write: false,
    logLevel: 'silent',
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
}

function bytesOf(part: string, files: ReadonlyMap<string, number>): number {
  return [...files].reduce((sum, [path, bytes]) => (partOf(path) === part ? sum + bytes : sum), 0);
}

function printRow(head: string, cells: readonly (string | number)[]): void {
  console.log(head.padEnd(36) + cells.map((cell) => String(cell).padStart(18)).join(''));
}

/** Prints each size, how far it is from the base, and from its limit. False if a limit is passed. */
async function compare(base: string | undefined): Promise<boolean> {
  const before = base === undefined ? undefined : sourcesAt(base);
  try {
    const sizes = await Promise.all(
      LIMITS.map(async ([names, limitKb]) => {
        const list = names.split(', ');
        const now = (await bundleOf(...list)).gzipped;
        // What the base does not export cannot be compared.
        const then = before === undefined ? undefined : await bundleIn(before, list).catch(() => undefined);
        return { names, limit: Math.round(limitKb * 1_000), now, difference: then && now - then.gzipped };
      }),
    );
    for (const { names, limit, now, difference } of sizes) {
      const room = now > limit ? `${now - limit} ABOVE its limit` : `${limit - now} below its limit`;
      console.log(
        `${names.padEnd(34)}${String(now).padStart(6)} bytes ${(before === undefined ? '' : signed(difference)).padStart(9)}  ${room}`,
      );
    }
    if (before === undefined) console.log('No difference: this needs git, tar and an earlier commit.');
    const isWithin = sizes.every(({ now, limit }) => now <= limit);
    if (!isWithin) console.log('CONTRIBUTING.md says what to do when a limit is passed.');
    const wrong = PAGES.flatMap((page) => wrongIn(page, new Map(sizes.map(({ names, now }) => [names, now]))));
    for (const line of wrong) console.log(line);
    return isWithin && wrong.length === 0;
  } finally {
    if (before !== undefined) rmSync(before, { recursive: true, force: true });
  }
}

/** What a page tells of the sizes, where it is more than a kilobyte away. */
function wrongIn(page: string, sizes: ReadonlyMap<string, number>): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const told = [...text.slice(text.search(/what a program loads/i)).matchAll(/(\d+) kB/g)];
  return TOLD.flatMap((names, index) => {
    const [now = 0, toldKb] = [sizes.get(names), Number(told[index]?.[1])];
    return Math.abs(toldKb * 1_000 - now) <= 1_000 ? [] : [`${page} says ${toldKb} kB for ${names}, measured: ${now}`];
  });
}

const signed = (bytes: number | undefined): string =>
  bytes === undefined ? 'new' : bytes === 0 ? 'as before' : `${bytes > 0 ? '+' : ''}${bytes}`;

/** A folder with the sources of a commit, from which the packages of the root are found. */
function sourcesAt(commit: string): string | undefined {
  const archive = git('archive', commit, 'src');
  if (archive === undefined) return undefined;
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'size-'));
  if (spawnSync('tar', ['-x', '-C', folder], { input: archive }).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [argument] = process.argv.slice(2);
  if (argument === '--why') await explain();
  else process.exitCode = (await compare(baseOf(argument))) ? 0 : 1;
}
