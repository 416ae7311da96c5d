import { defineConfig } from 'vitest/config';
import { MODULES } from './modules.ts';

// Stryker runs this in a copy of the repository, a process for each module.
const mutated = MODULES.find(({ name }) => name === process.env['MUTATED_MODULE']);
if (mutated === undefined)
  throw new Error('Expected MUTATED_MODULE to name a module: this file is for `npm run mutation`.');

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: mutated.tests.map((pattern) => `test/${pattern}`),
    isolate: false,
    // Counting what each test reaches takes time.
    testTimeout: 10_000,
    setupFiles: [
      'test/real-globals.ts',
      'tools/mutation/leave-out.ts',
      ...(['hints', 'classify', 'gate'].includes(mutated.name) ? ['tools/mutation/build-tables.ts'] : []),
    ],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
