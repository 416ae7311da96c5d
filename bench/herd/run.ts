// Runs the herd: `node bench/herd/run.ts --preset fleet --seed 1`. `--help` says what else there is.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RetryConfig } from '../../src/policy/config.ts';
import { fleet } from '../../src/policy/fleet.ts';
import { presets } from '../../src/policy/presets.ts';
import { memoryStore } from '../../src/gate/memory-store.ts';
import { drawLoad } from './plot.ts';
import { type Scenario, SCENARIOS } from './scenarios.ts';
import { type Fleet, type Result, simulate } from './simulate.ts';

const HELP = `node bench/herd/run.ts [options]

  --preset <name>     fleet (default), none, or a preset of the library: ${Object.keys(presets).join(', ')}
  --no-gate           the preset without its gate
  --shared            one store for all processes instead of one each
  --per-process <n>   clients that share a process (default 20)
  --clients <n>       clients in all (default 10000)
  --scenario <name>   only this one: ${SCENARIOS.map(({ name }) => name).join(', ')}
  --seed <n>          what chance does (default 1)
  --sizes             instead: processes of 1, 5, 20 and 100 clients, and the shared store
  --json              figures for programs
  --svg <folder>      draws the load over time, one file per scenario, next to no retries and retries without a gate`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    preset: { type: 'string', default: 'fleet' },
    gate: { type: 'boolean', default: true },
    shared: { type: 'boolean', default: false },
    'per-process': { type: 'string', default: '20' },
    clients: { type: 'string', default: '10000' },
    scenario: { type: 'string' },
    seed: { type: 'string', default: '1' },
    sizes: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    svg: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

interface Setup {
  readonly preset: string;
  readonly gate: boolean;
  readonly shared: boolean;
  readonly clientsPerProcess: number;
}

/** The figures of one run, beside what the same fleet does without any retry. */
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
const NO_RETRY: Setup = { preset: 'none', gate: false, shared: false, clientsPerProcess: 1 };

function fleetOf({ preset, gate, shared, clientsPerProcess }: Setup): Fleet {
  const store = shared ? memoryStore() : undefined;
  const { gate: _, ...config } = fleet();
  return {
    config: preset === 'fleet' ? config : configOf(preset),
    gateOf: () => (preset === 'fleet' && gate ? fleet({ store }).gate : null),
    clients,
    clientsPerProcess,
  };
}

function configOf(preset: string): RetryConfig {
  if (preset === 'none') return { maxRetries: 0 };
  const found = Object.entries(presets).find(([name]) => name === preset)?.[1];
  if (found === undefined || typeof found === 'function') throw new Error(`There is no preset "${preset}".`);
  return found;
}

function wholeNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`Expected --${name} to be a whole number of at least ${least}, got "${text}".`);
}

function figuresOf(scenario: Scenario, setup: Setup, without: Result): Figures & { readonly result: Result } {
  const result = simulate(scenario, fleetOf(setup), seed);
  return {
    scenario: scenario.name,
    amplification: rounded(result.amplification),
    peakOverCapacity: rounded(result.peakOverCapacity),
    recoveryS: result.recoveryS,
    successRate: rounded(result.successRate),
    recoveryWithoutRetryS: without.recoveryS,
    successRateWithoutRetry: rounded(without.successRate),
    result,
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

function main(): void {
  if (values.help) return console.log(HELP);
  const scenarios = SCENARIOS.filter(({ name }) => values.scenario === undefined || name === values.scenario);
  if (scenarios.length === 0) throw new Error(`There is no scenario "${values.scenario}".`);
  const setup: Setup = {
    preset: values.preset,
    gate: values.gate,
    shared: values.shared,
    clientsPerProcess: wholeNumber('per-process', values['per-process'], 1),
  };
  const report: Record<string, Figures | Record<string, Figures>> = {};
  if (!values.json) console.log(HEADINGS);
  for (const scenario of scenarios) {
    const without = simulate(scenario, fleetOf(NO_RETRY), seed);
    if (values.sizes) {
      report[scenario.name] = compareSizes(scenario, setup, without);
      continue;
    }
    const { result, ...figures } = figuresOf(scenario, setup, without);
    report[scenario.name] = figures;
    if (!values.json) console.log(row(scenario.name, figures));
    if (values.svg !== undefined) draw(values.svg, scenario, setup, without, result);
  }
  if (values.json) console.log(JSON.stringify({ ...setup, seed, clients, scenarios: report }, null, 2));
}

function compareSizes(scenario: Scenario, setup: Setup, without: Result): Record<string, Figures> {
  if (!values.json) console.log(scenario.name);
  const compared: Record<string, Figures> = {};
  const setups: [string, Setup][] = [1, 5, 20, 100].map((size) => [
    `  ${size} per process`,
    { ...setup, clientsPerProcess: size, shared: false },
  ]);
  for (const [label, each] of [...setups, ['  shared store', { ...setup, shared: true }] as const]) {
    const { result: _, ...figures } = figuresOf(scenario, each, without);
    compared[label.trim()] = figures;
    if (!values.json) console.log(row(label, figures));
  }
  return compared;
}

function labelOf({ preset, gate, shared }: Setup): string {
  return `presets.${preset}${gate ? '' : ' without its gate'}${shared ? ', one store' : ''}`;
}

function draw(folder: string, scenario: Scenario, setup: Setup, without: Result, result: Result): void {
  const ungated = simulate(
    scenario,
    fleetOf({ preset: 'fleet', gate: false, shared: false, clientsPerProcess: 1 }),
    seed,
  );
  const svg = drawLoad(scenario, [
    { label: 'three retries, full jitter, no gate', look: 'plain', result: ungated },
    { label: 'no retries', look: 'dashed', result: without },
    { label: labelOf(setup), look: 'strong', result },
  ]);
  writeFileSync(join(folder, `herd-${scenario.name}.svg`), svg);
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
