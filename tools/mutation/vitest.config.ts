import { defineConfig } from 'vitest/config';
import { MODULES } from './modules.ts';

// Stryker runs this in a copy of the repository, with one process per module.
const mutated = MODULES.find(({ name }) => name === process.env['MUTATED_MODULE']);
if (mutated === undefined)
  throw new Error('Expected MUTATED_MODULE to name a folder: this file is for `npm run mutation`.');

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: [`test/${mutated.name}/**/*.test.ts`, ...(mutated.also ?? [])],
    exclude: (mutated.without ?? []).map((name) => `test/**/${name}.test.ts`),
    isolate: false,
    // Recording which code each test reaches takes time.
    testTimeout: 10_000,
    setupFiles: ['test/random-seed.ts', 'test/real-globals.ts', 'tools/mutation/leave-out.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
