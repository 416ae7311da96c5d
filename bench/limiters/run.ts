// Runs the limiters with and without the gate: `node bench/limiters/run.ts --seed 1`. `--help` lists the options.
import { parseArgs } from 'node:util';
import { createGate } from '../../src/route/create-gate.ts';
import { presets } from '../../src/options/presets.ts';
import { type Comparison, missed } from './comparison.ts';
import { createDice } from '../dice.ts';
import { drawScenarios, SCENARIOS } from './scenarios.ts';
import { type Result, simulate } from './simulate.ts';

const HELP = `node bench/limiters/run.ts [options]

  --only <text>     only limiters whose name has it
  --hint <text>     only this hint: exact, rounded up, too long, missing, 2000, 5000
  --draw <n>        so many scenarios drawn by the seed, in place of the list
  --seed <n>        what chance does (default 1)
  --seconds <n>     how long each run lasts (default 240)`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    hint: { type: 'string' },
    draw: { type: 'string' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '240' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const ms = (value: number): string => (value === Number.POSITIVE_INFINITY ? '∞' : `${(value / 1_000).toFixed(1)} s`);

function row(comparison: Comparison): string {
  const { scenario, without, gated } = comparison;
  const both = (text: (result: Result) => string, width: number): string =>
    `${text(without)} → ${text(gated)}`.padStart(width);
  return [
    `${scenario.name}, ${scenario.offered.toFixed(1)}/s, ${scenario.hint}`.padEnd(50),
    both(({ servedPerS }) => servedPerS.toFixed(2), 15),
    both(({ p50Ms }) => ms(p50Ms), 17),
    both(({ p99Ms }) => ms(p99Ms), 17),
    both(({ failed }) => String(failed), 13),
    both(({ refusals }) => String(refusals), 15),
    both(({ requestsPerCall }) => requestsPerCall.toFixed(2), 13),
    ` ${missed(comparison).join(', ')}`,
  ].join('');
}

if (values.help) console.log(HELP);
else {
  const compared: Comparison[] = [];
  const headings = ['served/s', 15, 'p50', 17, 'p99', 17, 'failed', 13, 'refusals', 15, 'requests/call', 13] as const;
  console.log(
    ' '.repeat(50) +
      headings.reduce<string>(
        (line, cell, index) => (index % 2 === 0 ? line + String(cell).padStart(Number(headings[index + 1])) : line),
        '',
      ),
  );
  const drawn =
    values.draw === undefined ? SCENARIOS : drawScenarios(Number(values.draw), createDice(Number(values.seed)));
  for (const scenario of drawn) {
    if (!scenario.name.includes(values.only) || (values.hint !== undefined && String(scenario.hint) !== values.hint))
      continue;
    const run = (config: Parameters<typeof simulate>[1]): Promise<Result> =>
      simulate(scenario, config, Number(values.seed), Number(values.seconds));
    const comparison = {
      scenario,
      without: await run(presets.fleet),
      gated: await run({ ...presets.fleet, gate: createGate({ limits: scenario.stated }) }),
    };
    compared.push(comparison);
    console.log(row(comparison));
  }
  const misses = compared.filter((comparison) => missed(comparison).length > 0);
  console.log(`${compared.length - misses.length} of ${compared.length} within the bars`);
}
