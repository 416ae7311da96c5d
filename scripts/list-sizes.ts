/** Prints what each provider adds to a bundle of createRetryFetch, in bytes of gzip: the bundle with it minus that without. */

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { readProviders, readWords, rulebookText } from './rulebook.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const providers = await readProviders();

/** The size of the bundle, without the named provider. */
async function sizeWithout(left: string): Promise<number> {
  const contents = rulebookText(
    providers.filter(({ family }) => family.provider !== left),
    readWords(),
  );
  const { outputFiles } = await build({
    stdin: { contents: "export { createRetryFetch } from './src/index.ts'", resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'without',
        setup: (api) => {
          api.onLoad({ filter: /classify[\\/]generated-rulebook\.ts$/ }, () => ({ contents, loader: 'ts' }));
        },
      },
    ],
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

const all = await sizeWithout('');
const shares = await Promise.all(
  providers.map(async ({ family: { provider } }) => [provider, all - (await sizeWithout(provider))] as const),
);
for (const [name, bytes] of shares.toSorted(([, one], [, other]) => other - one))
  console.log(`${name.padEnd(12)} ${bytes}`);
console.log(`${'all of it'.padEnd(12)} ${all}`);
