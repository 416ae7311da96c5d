// Runs the herd: `node bench/herd/run.ts --preset fleet --seed 1`. `--help` lists the options.
import { parseArgs } from 'node:util';
import type { RetryConfig } from '../../src/options/config.ts';
import { createGate } from '../../src/route/create-gate.ts';
import { presets } from '../../src/options/presets.ts';
import { SCENARIOS } from './scenarios.ts';
import { type Fleet, type Result, simulate } from './simulate.ts';

const HELP = `node bench/herd/run.ts [options]

  --preset <name>     fleet (default), none, or a preset of the library: ${Object.keys(presets).join(', ')}
  --no-gate           the preset without its gate
  --per-process <n>   clients that share a process (default 20)
  --clients <n>       clients in all (default 10000)
  --scenario <name>   only this one: ${SCENARIOS.map(({ name }) => name).join(', ')}
  --seed <n>          what chance does (default 1)
  --sizes             instead: processes of 1, 5, 20 and 100 clients`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    preset: { type: 'string', default: 'fleet' },
    gate: { type: 'boolean', default: true },
    'per-process': { type: 'string', default: '20' },
    clients: { type: 'string', default: '10000' },
    scenario: { type: 'string' },
    seed: { type: 'string', default: '1' },
    sizes: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

interface Setup {
  readonly preset: string;
  readonly gate: boolean;
  readonly clientsPerProcess: number;
}

const seed = wholeNumber('seed', values.seed, 0);
const clients = wholeNumber('clients', values.clients, 1);
const NO_RETRY: Setup = { preset: 'none', gate: false, clientsPerProcess: 1 };

function fleetOf({ preset, gate, clientsPerProcess }: Setup): Fleet {
  const configured = (): RetryConfig => {
    if (preset !== 'fleet') return configOf(preset);
    return gate ? { ...presets.fleet, gate: createGate() } : presets.fleet;
  };
  return { configOf: configured, clients, clientsPerProcess };
}

function configOf(preset: string): RetryConfig {
  if (preset === 'none') return { maxRetries: 0 };
  const found = Object.entries(presets).find(([name]) => name === preset)?.[1];
  if (found === undefined) throw new Error(`There is no preset "${preset}".`);
  return found;
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`Expected --${name} to be a whole number of at least ${least}, got "${text}".`);
}

/** The figures of one run, next to those of the same fleet without retries. */
function row(
  label: string,
  { amplification, peakOverCapacity, recoveryS, successRate }: Result,
  without: Result,
): string {
  return [
    label.padEnd(18),
    amplification.toFixed(2).padStart(6),
    peakOverCapacity.toFixed(2).padStart(6),
    String(recoveryS ?? '-').padStart(5),
    `(${without.recoveryS ?? '-'})`.padStart(5),
    `${(100 * successRate).toFixed(2)} %`.padStart(9),
    `(${(100 * without.successRate).toFixed(2)} %)`.padStart(11),
  ].join('  ');
}

const HEADINGS = `${''.padEnd(18)}     amp    peak    rec          success      (in brackets: without any retry)`;

async function main(): Promise<void> {
  if (values.help) return console.log(HELP);
  const scenarios = SCENARIOS.filter(({ name }) => values.scenario === undefined || name === values.scenario);
  if (scenarios.length === 0) throw new Error(`There is no scenario "${values.scenario}".`);
  const setup: Setup = {
    preset: values.preset,
    gate: values.gate,
    clientsPerProcess: wholeNumber('per-process', values['per-process'], 1),
  };
  console.log(HEADINGS);
  for (const scenario of scenarios) {
    const without = await simulate(scenario, fleetOf(NO_RETRY), seed);
    const run = async (label: string, clientsPerProcess = setup.clientsPerProcess): Promise<void> =>
      console.log(row(label, await simulate(scenario, fleetOf({ ...setup, clientsPerProcess }), seed), without));
    if (!values.sizes) await run(scenario.name);
    else {
      console.log(scenario.name);
      for (const size of [1, 5, 20, 100]) await run(`  ${size} per process`, size);
    }
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
