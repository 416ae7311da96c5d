// Prints what each provider adds to a bundle of createRetryFetch, in bytes of gzip: the bundle with it minus that
// without.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const TABLES = /classify[\\/]providers[\\/](\w+)\.ts$/;

/** The size of the bundle, without the table of the named provider. */
async function sizeWithout(provider) {
  const { outputFiles } = await build({
    stdin: { contents: "export { createRetryFetch } from './src/index.ts'", resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
    logLevel: 'silent',
    plugins: [
      { name: 'without', setup: (api) => api.onLoad({ filter: TABLES }, ({ path }) => emptied(path, provider)) },
    ],
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

function emptied(path, provider) {
  if (TABLES.exec(path)?.[1] !== provider) return undefined;
  const table = /^export const (\w+)/m.exec(readFileSync(path, 'utf8'))?.[1];
  return { contents: `export const ${table} = { provider: '${provider}' };`, loader: 'ts' };
}

const all = await sizeWithout(undefined);
const names = readdirSync(new URL('../src/classify/providers/', import.meta.url)).map((file) =>
  file.replace('.ts', ''),
);
const shares = await Promise.all(
  names.filter((name) => name !== 'index').map(async (name) => [name, all - (await sizeWithout(name))]),
);
for (const [name, bytes] of shares.toSorted(([, one], [, other]) => other - one))
  console.log(`${name.padEnd(12)} ${bytes}`);
console.log(`${'all of it'.padEnd(12)} ${all}`);
