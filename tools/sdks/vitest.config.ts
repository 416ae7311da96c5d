import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The examples import the package by its name, which leads to the sources here.
  resolve: {
    alias: [{ find: /^retry-transport$/, replacement: new URL('../../src/index.ts', import.meta.url).pathname }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // Each file would load every SDK again.
    isolate: false,
    // One hook makes every call of every table.
    hookTimeout: 300_000,
    // The first test of an SDK loads it, which takes seconds on a busy machine.
    testTimeout: 300_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
