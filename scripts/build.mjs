// Builds dist: one JavaScript file per entry point (each further file of an entry costs 1-2 ms of import) and the
// declarations, which stay one per source file so that editors jump to the source.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

// Each output needs its line in the `exports` of package.json, or in `bin`, or is `internal`: what several entries share
// and nobody else imports. A standalone entry carries its own copy of the modules that it shares with the core; whatever
// imports the source of any other entry imports its file, which keeps module state single.
const CORE = { output: 'index', source: 'src/index.ts' };
const ENTRIES = [
  CORE,
  { output: 'retry-after', source: 'src/hints/index.ts', standalone: true },
  // Functions without state are not worth an export of the core: `copies` names the modules of theirs.
  {
    output: 'undici',
    source: 'src/undici.ts',
    copies: ['src/fetch-transport.ts', 'src/loop/request-copy.ts', 'src/fallback/request-parts.ts'],
  },
  { output: 'mocks', source: 'mocks/index.ts' },
  { output: 'llm', source: 'src/llm/index.ts' },
  { output: 'report', source: 'src/report/index.ts', copies: ['src/failure/expect.ts', 'src/failure/first-bytes.ts'] },
  { output: 'redis', source: 'src/gate/redis.ts', copies: ['src/failure/expect.ts'] },
  { output: 'otel', source: 'src/otel.ts' },
  { output: 'diagnostics', source: 'src/events/diagnostics.ts' },
  { output: 'recordings', source: 'mocks/recordings.ts', internal: true },
  { output: 'cli', source: 'src/cli/main.ts', executable: true, copies: ['mocks/look-up.ts', 'mocks/recording.ts'] },
];

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const outputOf = new Map(
  ENTRIES.filter((entry) => !entry.standalone).map((entry) => [resolve(root, entry.source), entry.output]),
);

const importEntriesByFile = {
  name: 'import-entries-by-file',
  setup(bundle) {
    bundle.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, kind }) => {
      const output = kind === 'entry-point' ? undefined : outputOf.get(resolve(resolveDir, path));
      return output === undefined ? undefined : { path: `./${output}.js`, external: true };
    });
  },
};

async function bundleEntry({ output, source, standalone, executable, copies = [] }) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile: `dist/${output}.js`,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    packages: 'external',
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    plugins: source === CORE.source ? [] : [importEntriesByFile],
    logLevel: 'warning',
  });
  if (executable) chmodSync(resolve(root, `dist/${output}.js`), 0o755);
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const modules = bundled.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return { output, modules: standalone ? [] : modules.filter((path) => !copies.includes(path)) };
}

/** A module with state that is in two bundles exists twice at run time: a registry then misses half of its entries. */
function refuseSecondCopies(bundles) {
  const owners = new Map();
  for (const { output, modules } of bundles) {
    for (const path of modules) owners.set(path, [...(owners.get(path) ?? []), output]);
  }
  const copies = [...owners].filter(([, outputs]) => outputs.length > 1);
  if (copies.length === 0) return;
  const list = copies.map(([path, outputs]) => `  ${path} in ${outputs.join(' and ')}`).join('\n');
  throw new Error(`Bundled more than once; import it from ${CORE.source} instead:\n${list}`);
}

async function emitDeclarations() {
  const tsc = resolve(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root });
}

const entries = ENTRIES.filter(({ source }) => existsSync(resolve(root, source)));
for (const { source } of ENTRIES.filter((entry) => !entries.includes(entry))) console.log(`not written yet: ${source}`);

rmSync(resolve(root, 'dist'), { recursive: true, force: true });
try {
  const [bundles] = await Promise.all([Promise.all(entries.map(bundleEntry)), emitDeclarations()]);
  refuseSecondCopies(bundles);
} catch (error) {
  console.error(error.stdout || error.message);
  process.exitCode = 1;
}
