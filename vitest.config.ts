import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Examples import the package by its name; the tests run them on the sources.
  resolve: { tsconfigPaths: true },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.browser.test.ts'],
    // One module graph per worker: time, chance and fetch are handed in, so that files share no state. 14 s become 1 s.
    isolate: false,
    maxWorkers: '100%',
    setupFiles: ['test/real-globals.ts'],
    // Some tests start processes and browsers of their own, which take their time on a busy machine.
    testTimeout: 30_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    typecheck: {
      enabled: true,
      include: ['test/**/*.test-d.ts'],
      checker: 'tsc',
      // `npm run types` reports what is wrong outside of the type tests.
      ignoreSourceErrors: true,
    },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: [['text', { skipFull: true }], 'lcov'],
      thresholds: { branches: 95 },
    },
  },
});
