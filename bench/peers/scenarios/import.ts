/** Measures what an import adds to the start of a program. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { alternate, ratiosOf, type Sample } from '../alternate.ts';
import { type Cell, type Scenario } from '../scenario.ts';
import { figureOf } from '../statistics.ts';

const EMPTY = 'data:text/javascript,';
const cwd = fileURLToPath(new URL('../../../tools/peers', import.meta.url));
const execute = promisify(execFile);

export const scenario: Scenario = {
  title: 'Import: what it adds to the start of a program',
  what: `The table has the processor time of one \`import()\` of the package, in a new process for each sample. The package and an empty
module are measured alternately.`,
  columns: {
    ratio: { title: '× an empty module', better: 'lower', overview: 'import: × an empty module' },
    ms: { title: 'ms' },
  },
  suits: ({ entry }) => entry !== null,
  async measure({ entry }, effort) {
    const imported = importTime(entry ?? EMPTY);
    await imported();
    const pairs = await alternate(importTime(EMPTY), imported, effort.choose(25, 3));
    const cells: Record<string, Cell> = { ratio: figureOf(ratiosOf(pairs)), ms: figureOf(pairs.subject) };
    return cells;
  },
};

function importTime(specifier: string): Sample {
  const program = `const start = process.cpuUsage();
    await import(${JSON.stringify(specifier)});
    const { user, system } = process.cpuUsage(start);
    console.log((user + system) / 1_000);`;
  return async () => {
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', program], { cwd });
    return Number(stdout);
  };
}
