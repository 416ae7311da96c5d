/**
 * Puts small faults into one module, one at a time, and counts how many of them its tests notice. Runs in a process of
 * its own, for Stryker and Vitest each keep state in theirs, and tells the counts to the one that started it.
 */

import { Stryker } from '@stryker-mutator/core';
import type { MutantResult } from '@stryker-mutator/api/core';
import { MODULES } from './modules.ts';
import type { Counts } from './page.ts';

const mutated = MODULES.find(({ name }) => name === process.env['MUTATED_MODULE']);
if (mutated === undefined) throw new Error('Expected MUTATED_MODULE to name a module: use `npm run mutation`.');
const report = `reports/mutation/${mutated.name}`;
const { MUTATION_CONCURRENCY: concurrency = '' } = process.env;

const results = await new Stryker({
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  testRunner: 'vitest',
  // Processes, for a test sets the zone of its own.
  vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false, pool: 'forks' },
  coverageAnalysis: 'perTest',
  mutate: mutated.sources.map((pattern) => `src/${pattern}`),
  // Only TypeScript's old API could read a tsconfig for it. The tests run without types, which Vitest strips.
  tsconfigFile: 'tsconfig.none.json',
  disableTypeChecks: false,
  ignorePatterns: ['/bench', '/coverage', '/dist', '/docs', '/examples', '/reports', '/tools/*', '!/tools/mutation'],
  ...(concurrency === '' ? {} : { concurrency: Number(concurrency) }),
  // A mutant that only runs long would count as noticed: on a busy machine even a quick test may take seconds.
  timeoutMS: 30_000,
  incremental: true,
  incrementalFile: `${report}.incremental.json`,
  force: process.env['MUTATION_FORCE'] === '1',
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: `${report}.html` },
  jsonReporter: { fileName: `${report}.json` },
  allowConsoleColors: false,
}).runMutationTest();

process.send?.(countsOf(results));

function countsOf(mutants: readonly MutantResult[]): Counts {
  const count = (...statuses: readonly MutantResult['status'][]): number =>
    mutants.filter(({ status }) => statuses.includes(status)).length;
  return {
    killed: count('Killed'),
    timedOut: count('Timeout'),
    survived: count('Survived'),
    uncovered: count('NoCoverage'),
    unloadable: count('RuntimeError', 'CompileError'),
  };
}
