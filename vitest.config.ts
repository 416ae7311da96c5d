import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that measure time in microseconds. */
const COST = 'test/**/cost.test.ts';
/** Tests of many cases. The counters of coverage would double their time, so coverage is measured without them. */
const MANY = [
  'test/classify/{phrases,read-error}.test.ts',
  'test/http/{gaps,watch,watched-events}.test.ts',
  'test/route/rotation-under-load.test.ts',
  'test/scenarios/{hard-times,limiters}.test.ts',
  'test/simulation/*.test.ts',
];
/**
 * Tests that count or run all timers, or collect garbage. They have workers of their own: what the tests over sockets
 * leave behind would be among it, and a collection of all that hundreds of files have loaded takes ten times as long.
 */
const COUNTING = globSync('test/**/*.test.ts', { cwd: import.meta.dirname, exclude: MANY }).filter((file) =>
  /getTimerCount|--expose-gc/.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')),
);
const BROWSER = 'test/**/*.browser.test.ts';

export default defineConfig({
  // Examples import the package by its name; the tests run them on the sources.
  resolve: { tsconfigPaths: true },
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'behaviour', include: ['test/**/*.test.ts'], exclude: [BROWSER, COST, ...COUNTING, ...MANY] },
      },
      {
        extends: true,
        test: { name: 'counting', include: COUNTING, typecheck: { enabled: false } },
      },
      {
        extends: true,
        test: { name: 'many', include: MANY, typecheck: { enabled: false } },
      },
      // After the others and in workers of their own: code that thousands of tests have run through is slower.
      {
        extends: true,
        test: {
          name: 'cost',
          include: [COST],
          exclude: [],
          isolate: true,
          sequence: { groupOrder: 1 },
          typecheck: { enabled: false },
        },
      },
    ],
    // One module graph per worker: time, chance and fetch are handed in, so that files share no state. 14 s become 1 s.
    isolate: false,
    // One more than there are processors, because some tests wait: for sockets, and for processes of their own.
    maxWorkers: availableParallelism() + 1,
    setupFiles: ['test/random-seed.ts', 'test/real-globals.ts'],
    // A process that a test starts from the sources compiles them once: 0.6 s become 0.2 s.
    env: { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/node` },
    // Ends only what hangs: on a machine with much other work a test may take a hundred times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    typecheck: {
      enabled: true,
      include: ['test/**/*.test-d.ts'],
      checker: 'tsc',
      // Of the type tests and what they import. `npm run types` reports what is wrong elsewhere.
      tsconfig: 'test/types/tsconfig.json',
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
