/** Puts small faults into one folder, one at a time, and sends the number that its tests detect to its parent. */

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';
import type { MutantResult, schema } from '@stryker-mutator/api/core';
import { MODULES } from './modules.ts';
import { sampleOf } from './sample.ts';

/** The results of the mutants. */
export interface Counts {
  readonly killed: number;
  /** Detected too: the tests did not end. */
  readonly timedOut: number;
  readonly survived: number;
  /** Not reached by any test. */
  readonly uncovered: number;
  /** The module could not be imported. Not part of the score. */
  readonly unloadable: number;
}

const mutated = MODULES.find(({ name }) => name === process.env['MUTATED_MODULE']);
if (mutated === undefined) throw new Error('Expected MUTATED_MODULE to name a folder: use `npm run mutation`.');
const report = `reports/mutation/${mutated.name}`;
const {
  MUTATION_CONCURRENCY: concurrency = '',
  MUTATED_FILE: file = '',
  MUTATION_SAMPLE: share = '1',
  MUTATION_SEED: seed = '1',
} = process.env;
const sources = file === '' ? globSync(`src/${mutated.name}/**/*.ts`, { exclude: ['**/generated-*'] }) : [file];

forgetSurvivors(`${report}.incremental.json`);
const results = await new Stryker({
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner'), import.meta.resolve('./tables.ts')],
  ignorers: ['tables'],
  testRunner: 'vitest',
  vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false, pool: mutated.pool ?? 'threads' },
  coverageAnalysis: 'perTest',
  mutate: share === '1' ? sources : sampleOf(sources, Number(share), seed),
  // Stryker reads a tsconfig only with TypeScript's old API. The tests run without types, which Vitest strips.
  tsconfigFile: 'tsconfig.none.json',
  disableTypeChecks: false,
  ignorePatterns: [
    '/bench/peers',
    '/coverage',
    '/dist',
    '/docs',
    '/examples',
    '/reports',
    '/tools/*',
    '!/tools/mutation',
  ],
  ...(concurrency === '' ? {} : { concurrency: Number(concurrency) }),
  // A mutant that only runs long would count as detected: on a busy machine even a quick test may take seconds.
  timeoutMS: 30_000,
  // Earlier results of other blocks would be counted too.
  incremental: share === '1',
  incrementalFile: `${report}.incremental.json`,
  force: process.env['MUTATION_FORCE'] === '1',
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: `${report}.html` },
  jsonReporter: { fileName: `${report}.json` },
  allowConsoleColors: false,
}).runMutationTest();

process.send?.(countsOf(results));

/**
 * Keeps only detected mutants, so that survivors are run again: Stryker assumes that code which runs at import is
 * covered by all tests, and does not detect new tests.
 */
function forgetSurvivors(path: string): void {
  if (!existsSync(path)) return;
  const found = JSON.parse(readFileSync(path, 'utf8')) as schema.MutationTestResult;
  for (const [name, source] of Object.entries(found.files)) {
    if (file !== '' && file !== name) continue;
    source.mutants = source.mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  }
  writeFileSync(path, JSON.stringify(found));
}

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
