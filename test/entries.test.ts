import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The packages that a source imports, types aside. */
async function packagesOf(source: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: [source],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    packages: 'external',
    tsconfigRaw: {},
    external: ['node:*'],
    logLevel: 'silent',
  });
  const found = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  return [...new Set(found.filter(({ external }) => external).map(({ path }) => path))].toSorted();
}

test.each([
  ['mocks', 'mocks/index.ts', []],
  ['mocks/msw', 'mocks/msw.ts', ['msw']],
  ['react', 'src/react.ts', ['is-network-error', 'p-retry', 'react']],
  ['debug', 'src/debug.ts', []],
  ['otel', 'src/otel.ts', ['@opentelemetry/api', 'is-network-error', 'p-retry']],
])('the entry /%s imports no package but its own peer and those of the core', async (_entry, source, packages) => {
  expect(await packagesOf(source)).toEqual(packages);
});
