/** All checks for a change in one command: `npm run check`, or `npm run check -- --skip=test,size`. */

import { runSteps, type Step } from './run-steps.ts';

const needs = { folder: 'tools/node_modules', install: 'npm ci --prefix tools' };
process.env['THOROUGH'] = '1';
const STEPS: readonly Step[] = [
  { name: 'build', command: 'npm run build' },
  { name: 'types', command: 'npm run types' },
  { name: 'package', command: 'npm run lint:package', after: 'build' },
  { name: 'api', command: 'node tools/api/report.ts', after: 'build', needs },
  { name: 'size', command: 'npm run --silent size', isShown: true },
  { name: 'tools', command: 'npm run types:tools', needs },
  { name: 'lint', command: 'npm run lint' },
  { name: 'unused', command: 'npm run knip' },
  { name: 'format', command: 'npm run format:check' },
  { name: 'test', command: 'npm run coverage', isAlone: true },
];

await runSteps('check', STEPS, readSkipped(process.argv.slice(2)));

function readSkipped(args: readonly string[]): ReadonlySet<string> {
  const names = args.flatMap((arg) => {
    if (!arg.startsWith('--skip=')) throw new Error(`Expected --skip=<step>[,<step>], got ${arg}.`);
    return arg.slice('--skip='.length).split(',');
  });
  const unknown = names.find((name) => !STEPS.some((step) => step.name === name));
  if (unknown !== undefined)
    throw new Error(`No step ${unknown}; there are ${STEPS.map(({ name }) => name).join(', ')}.`);
  return new Set(names);
}
