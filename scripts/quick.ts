/**
 * The check to run while editing: `npm run quick`. It looks at what is not committed, or at the last commit if everything
 * is; `npm run quick -- main` looks at everything since the branch left main.
 */

import { baseOf, changedSince, importersOf, testsOf } from './changes.ts';
import { runSteps, type Step } from './run-steps.ts';

/** Say what holds in the whole repository, so that a change anywhere may break them. */
const EVERYWHERE = [
  'test/house.test.ts',
  'test/folders.test.ts',
  'test/bundle.test.ts',
  'test/entries.test.ts',
  'test/docs/',
  // Whether the generated lists of providers and recordings are fresh.
  'test/classify/added-provider.test.ts',
  'test/mocks/recordings.test.ts',
];
/** Of these depends what a program sees of the types. */
const PUBLISHED = ['dist/**/*.d.ts', 'package.json', 'package-lock.json'];
const IS_LINTED = /\.(?:ts|tsx|mjs)$/;
/** Of the simulation: as many random calls as take a second. */
process.env['SIMULATION_CASES'] ??= '500';

const branch = process.argv[2];
const base = baseOf(branch);
if (base === undefined) throw new Error(`git does not know ${branch ?? 'a commit'}, so quick cannot say what changed.`);
const changed = changedSince(base);
const linted = [...new Set([...changed, ...importersOf(changed)])].filter((path) => IS_LINTED.test(path));
const tests = [...new Set([...EVERYWHERE, ...testsOf(changed)])];

const steps: readonly Step[] = [
  {
    name: 'tests',
    command: `vitest run --project=!cost --typecheck.enabled=false --reporter=dot ${tests.join(' ')}`,
  },
  // Remembers what it has checked: eight seconds of processor time become two.
  { name: 'types', command: 'tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/quick.tsbuildinfo' },
  // In spite of errors, so that the next two steps never judge the declarations of an earlier run.
  { name: 'published', command: 'tsc -p tsconfig.build.json --noEmitOnError false' },
  {
    name: 'consumer',
    command: 'tsc -p tsconfig.consumer.json',
    after: 'published',
    reads: [...PUBLISHED, 'tsconfig*'],
  },
  {
    name: 'api',
    command: 'node tools/api/report.ts',
    after: 'published',
    reads: [...PUBLISHED, 'etc/*', 'tools/api/*.ts', 'tools/package-lock.json'],
    needs: { folder: 'tools/node_modules', install: 'npm ci --prefix tools' },
  },
  ...(linted.length === 0 ? [] : [{ name: 'lint', command: `oxlint ${linted.join(' ')}` }]),
  { name: 'unused', command: 'knip' },
  { name: 'format', command: 'oxfmt --check' },
  { name: 'size', command: `node scripts/size.ts ${base}`, isShown: true },
];

console.log(`${changed.length} files differ from ${base.slice(0, 8)}`);
await runSteps('quick', steps);
