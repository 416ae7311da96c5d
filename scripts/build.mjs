// Builds dist: one JavaScript file per entry point (each further file of an entry costs 1-2 ms of import) and the
// declarations, which stay one per source file so that editors jump to the source.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { breakLines } from './break-lines.ts';
import { COPIED, ENTRIES } from './entries.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const outputOf = new Map(
  ENTRIES.filter((entry) => !entry.standalone).map((entry) => [resolve(root, entry.source), entry.output]),
);

const importEntriesByFile = {
  name: 'import-entries-by-file',
  resolveId(specifier, importer) {
    if (importer === undefined || !specifier.startsWith('.')) return undefined;
    const output = outputOf.get(resolve(dirname(importer), specifier));
    return output === undefined ? undefined : { id: `./${output}.js`, external: 'relative' };
  },
};

async function bundleEntry({ output, source, standalone, executable, copies = [] }) {
  const bundle = await rolldown({
    cwd: root,
    input: source,
    platform: 'neutral',
    external: /^[^./]/,
    plugins: output === 'index' || standalone ? [] : [importEntriesByFile],
    transform: { target: 'es2022' },
  });
  const { output: chunks } = await bundle.generate({
    format: 'esm',
    sourcemap: 'hidden',
    minify: {
      // A bundler cannot split joined declarations again to drop unused ones.
      compress: { joinVars: false, sequences: false, keepNames: { function: true, class: true } },
      // The names of functions and classes are kept, so that a stack trace is readable without the source map.
      mangle: { toplevel: false, keepNames: true },
      codegen: { removeWhitespace: true },
    },
    // With these annotations, bundlers drop unused code.
    comments: { annotation: true, legal: false, jsdoc: false },
  });
  const [{ code, map, modules }] = chunks;
  if (executable) writeExecutable(`dist/${output}.js`, breakLines(code, map));
  else writeOutput(`dist/${output}.js`, breakLines(code, map));
  const paths = Object.entries(modules)
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([path]) => path.slice(root.length + 1));
  // The core has the state that the other entries share.
  const isCopied = (path) => output !== 'index' && !standalone && (copies.includes(path) || COPIED.test(path));
  const stateful = paths.filter((path) => isCopied(path) && STATE.test(modules[resolve(root, path)]?.code ?? ''));
  if (stateful.length > 0) throw new Error(`Copied into ${output} although it has state: ${stateful.join(', ')}`);
  return { output, modules: standalone ? [] : paths.filter((path) => !isCopied(path)) };
}

/** Finds a variable of a module that changes, or a collection that is filled at run time. */
const STATE = /^(?:let |(?:const|var) [\w$]+ = (?:\/\* @__PURE__ \*\/ )?new (?:WeakMap|WeakSet|Map)\b)/m;

/** Without a source map: a program that is run, and not imported, needs no sources beside it. */
function writeExecutable(file, { code }) {
  writeFileSync(resolve(root, file), `${code}\n`);
  chmodSync(resolve(root, file), 0o755);
}

function writeOutput(file, { code, map }) {
  const { version, names, sources, mappings } = map;
  const path = resolve(root, file);
  const name = file.slice(file.lastIndexOf('/') + 1);
  writeFileSync(path, `${code}\n//# sourceMappingURL=${name}.map\n`);
  // The package contains the sources except for lists of words, so the map does not repeat them.
  writeFileSync(`${path}.map`, JSON.stringify({ version, file: name, names, sources, mappings }));
}

/** A module with state that is in two bundles exists twice at run time: a registry would miss half of its entries. */
function refuseSecondCopies(bundles) {
  const owners = new Map();
  for (const { output, modules } of bundles) {
    for (const path of modules) owners.set(path, [...(owners.get(path) ?? []), output]);
  }
  const copies = [...owners].filter(([, outputs]) => outputs.length > 1);
  if (copies.length === 0) return;
  const list = copies.map(([path, outputs]) => `  ${path} in ${outputs.join(' and ')}`).join('\n');
  throw new Error(`Bundled more than once; import it from src/index.ts instead:\n${list}`);
}

async function emitDeclarations() {
  const tsc = resolve(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root });
  removeUnreachable();
}

/** Removes the declarations that no entry point imports, directly or through another one: no program can load them. */
function removeUnreachable() {
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, , specifier] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
      visit(resolve(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')));
    }
  };
  for (const { source, executable } of ENTRIES)
    if (!executable) visit(resolve(root, 'dist', source.replace(/\.ts$/, '.d.ts')));
  for (const name of readdirSync(resolve(root, 'dist'), { recursive: true })) {
    const file = resolve(root, 'dist', name);
    if (/\.d\.ts(?:\.map)?$/.test(name) && !reached.has(file.replace(/\.map$/, ''))) rmSync(file);
  }
}

const IMPORTED = /\b(?:from|import)\s*\(?\s*(["'])(\.[^"']+)\1/g;

// Set by .ci/run once it has built, because programs that run at the same time use what is there.
if (process.env.DIST_IS_BUILT !== undefined) process.exit();

rmSync(resolve(root, 'dist'), { recursive: true, force: true });
mkdirSync(resolve(root, 'dist'));
try {
  const [bundles] = await Promise.all([Promise.all(ENTRIES.map(bundleEntry)), emitDeclarations()]);
  refuseSecondCopies(bundles);
} catch (error) {
  console.error(error.stdout || error.message);
  process.exitCode = 1;
}
