/**
 * Measures one scenario with one subject, in its own process: `node bench/peers/measure.ts success ky`. Prints one line
 * of JSON; `run.ts` starts it with the flags that the scenario needs.
 */

import { effortOf, type Scenario } from './scenario.ts';
import { loadSubject } from './subjects.ts';
import type { Row } from './results.ts';

const [scenarioName = '', subjectName = ''] = process.argv.slice(2);

async function measureRow(): Promise<Row | null> {
  // Imports only this scenario: the others would add to the process.
  const { scenario }: { readonly scenario: Scenario } = await import(`./scenarios/${scenarioName}.ts`);
  const subject = await loadSubject(subjectName);
  if (!scenario.suits(subject)) return null;
  const { version } = subject;
  try {
    return { version, cells: await scenario.measure(subject, effortOf(process.env['BENCH_QUICK'] === '1')) };
  } catch (error) {
    return { version, failed: error instanceof Error ? error.message : String(error) };
  }
}

const line = JSON.stringify(await measureRow());
// Sleepers that cannot be aborted would keep the process alive.
process.stdout.write(`${line}\n`, () => process.exit());
