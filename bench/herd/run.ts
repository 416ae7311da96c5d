// Runs the herd: `node bench/herd/run.ts --preset fleet --seed 1`. `--help` lists the options.
import { parseArgs } from 'node:util';
import type { RetryConfig } from '../../src/options/config.ts';
import { createGate } from '../../src/route/create-gate.ts';
import { presets } from '../../src/options/presets.ts';
import { type Scenario, SCENARIOS } from './scenarios.ts';
import { type Fleet, type Result, simulate } from './simulate.ts';

const HELP = `node bench/herd/run.ts [options]

  --preset <name>     fleet (default), none, or a preset of the library: ${Object.keys(presets).join(', ')}
  --no-gate           the preset without its gate
  --per-process <n>   clients that share a process (default 20)
  --clients <n>       clients in all (default 10000)
  --scenario <name>   only this one: ${SCENARIOS.map(({ name }) => name).join(', ')}
  --seed <n>          what chance does (default 1)
  --sizes             instead: processes of 1, 5, 20 and 100 clients
  --json              figures for programs`;

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
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

interface Setup {
  readonly preset: string;
  readonly gate: boolean;
  readonly clientsPerProcess: number;
}

/** The figures of one run, next to those of the same fleet without retries. */
interface Figures {
  readonly scenario: string;
  readonly amplification: number;
  readonly peakOverCapacity: number;
  readonly recoveryS: number | null;
  readonly successRate: number;
  readonly recoveryWithoutRetryS: number | null;
  readonly successRateWithoutRetry: number;
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

async function figuresOf(scenario: Scenario, setup: Setup, without: Result): Promise<Figures> {
  const result = await simulate(scenario, fleetOf(setup), seed);
  return {
    scenario: scenario.name,
    amplification: rounded(result.amplification),
    peakOverCapacity: rounded(result.peakOverCapacity),
    recoveryS: result.recoveryS,
    successRate: rounded(result.successRate),
    recoveryWithoutRetryS: without.recoveryS,
    successRateWithoutRetry: rounded(without.successRate),
  };
}

const rounded = (number: number): number => Math.round(number * 10_000) / 10_000;

function row(label: string, figures: Figures): string {
  const recovery = figures.recoveryS === null ? '-' : String(figures.recoveryS);
  const recoveryWithout = figures.recoveryWithoutRetryS === null ? '-' : String(figures.recoveryWithoutRetryS);
  return [
    label.padEnd(18),
    figures.amplification.toFixed(2).padStart(6),
    figures.peakOverCapacity.toFixed(2).padStart(6),
    recovery.padStart(5),
    `(${recoveryWithout})`.padStart(5),
    `${(100 * figures.successRate).toFixed(2)} %`.padStart(9),
    `(${(100 * figures.successRateWithoutRetry).toFixed(2)} %)`.padStart(11),
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
  const report: Record<string, Figures | Record<string, Figures>> = {};
  if (!values.json) console.log(HEADINGS);
  for (const scenario of scenarios) {
    const without = await simulate(scenario, fleetOf(NO_RETRY), seed);
    if (values.sizes) {
      report[scenario.name] = await compareSizes(scenario, setup, without);
      continue;
    }
    const figures = await figuresOf(scenario, setup, without);
    report[scenario.name] = figures;
    if (!values.json) console.log(row(scenario.name, figures));
  }
  if (values.json) console.log(JSON.stringify({ ...setup, seed, clients, scenarios: report }, null, 2));
}

async function compareSizes(scenario: Scenario, setup: Setup, without: Result): Promise<Record<string, Figures>> {
  if (!values.json) console.log(scenario.name);
  const compared: Record<string, Figures> = {};
  for (const clientsPerProcess of [1, 5, 20, 100]) {
    const label = `${clientsPerProcess} per process`;
    const figures = await figuresOf(scenario, { ...setup, clientsPerProcess }, without);
    compared[label] = figures;
    if (!values.json) console.log(row(`  ${label}`, figures));
  }
  return compared;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
