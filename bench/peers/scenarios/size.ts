/** Measures what an import adds to a bundle. */

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { type Cell, demand, type Scenario } from '../scenario.ts';
import { single } from '../statistics.ts';

const resolveDir = fileURLToPath(new URL('../../../tools/peers', import.meta.url));

export const scenario: Scenario = {
  title: 'Size: what it adds to a bundle',
  what: `The table has the size of a bundle with the parts of each package that a fetch with retries needs. esbuild bundles and minifies it
for browsers, and \`gzip -9\` compresses it. openai is a whole client of an API, and its retries do not exist as a package.`,
  columns: {
    gzip: { title: 'min + gzip, bytes', better: 'lower', overview: 'size: min + gzip, bytes' },
    minified: { title: 'min, bytes' },
  },
  suits: ({ bundle }) => bundle !== null,
  async measure({ bundle }) {
    const { outputFiles } = await build({
      stdin: { contents: bundle ?? '', resolveDir },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      write: false,
      logLevel: 'silent',
    });
    const [file] = outputFiles;
    demand(file !== undefined && file.contents.length > 100, 'a bundle with something in it');
    const cells: Record<string, Cell> = {
      gzip: single(gzipSync(file.contents, { level: 9 }).length),
      minified: single(file.contents.length),
    };
    return cells;
  },
};
