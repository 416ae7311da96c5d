import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EventQueue } from '../../bench/herd/event-queue.ts';
import { drawLoad } from '../../bench/herd/plot.ts';
import { type Scenario, SCENARIOS } from '../../bench/herd/scenarios.ts';
import { type Result, simulate } from '../../bench/herd/simulate.ts';
import { fleet } from '../../src/policy/fleet.ts';
import type { Gate } from '../../src/gate/gate.ts';

const { gate: _, ...POLICY } = fleet();
const NO_GATE = (): null => null;

function run(name: string, gateOf: () => Gate | null, config = POLICY, clientsPerProcess = 20): Result {
  return simulate(scenarioOf(name), { config, gateOf, clients: 2_000, clientsPerProcess }, 1);
}

function scenarioOf(name: string): Scenario {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
  return scenario;
}

/** A fifth of the fleet that `bench/herd` simulates; the same bounds, for the figures are shares. */
describe('a fleet in the simulation', () => {
  test.each(['full-outage', 'rate-limit'])('makes a %s no worse, and comes back with those who never retry', (name) => {
    const without = run(name, NO_GATE, { maxRetries: 0 });
    const { amplification, peakOverCapacity, recoveryS } = run(name, () => fleet().gate);
    expect(amplification).toBeLessThanOrEqual(1.1);
    expect(peakOverCapacity).toBeLessThanOrEqual(1.6);
    expect(recoveryS).not.toBeNull();
    expect(recoveryS ?? Infinity).toBeLessThanOrEqual((without.recoveryS ?? 0) + 3);
  });

  test.each(['full-outage', 'rate-limit'])('makes a %s far worse without its gate', (name) => {
    expect(run(name, NO_GATE).amplification).toBeGreaterThan(2.5);
  });

  test.each([
    ['partial-outage', 1.15],
    ['brownout', 1.2],
    ['metastable', 1.25],
    ['blips', 1.03],
  ])('sends hardly more in a %s than without any retry', (name, most) => {
    expect(run(name, () => fleet().gate).amplification).toBeLessThanOrEqual(most);
  });

  test('brings nearly every call through scattered failures, and some through many', () => {
    expect(run('blips', () => fleet().gate).successRate).toBeGreaterThanOrEqual(0.999);
    const { successRate } = run('partial-outage', () => fleet().gate);
    expect(successRate).toBeGreaterThanOrEqual(run('partial-outage', NO_GATE, { maxRetries: 0 }).successRate + 0.01);
  });

  test('is the same for the same seed', () => {
    expect(run('rate-limit', () => fleet().gate)).toEqual(run('rate-limit', () => fleet().gate));
  });

  test('is drawn as a picture that names what it shows', () => {
    const svg = drawLoad(scenarioOf('blips'), [
      { label: 'presets.fleet', look: 'strong', result: run('blips', NO_GATE) },
    ]);
    expect(svg).toMatch(/^<svg .*<\/svg>\n$/s);
    expect(svg).toContain('presets.fleet');
    expect(svg).not.toContain('NaN');
  });

  test('is reported as figures for programs', () => {
    const script = fileURLToPath(new URL('../../bench/herd/run.ts', import.meta.url));
    const options = ['--json', '--clients', '200', '--scenario', 'blips', '--preset', 'fleet', '--seed', '2'];
    const { stdout } = spawnSync(process.execPath, [script, ...options], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatchObject({
      preset: 'fleet',
      gate: true,
      seed: 2,
      scenarios: {
        blips: {
          amplification: expect.any(Number),
          peakOverCapacity: expect.any(Number),
          recoveryS: expect.any(Number),
          successRate: expect.any(Number),
        },
      },
    });
  });

  test('lets things happen in their order, also those of the same time', () => {
    const events = new EventQueue(0);
    const happened: number[] = [];
    for (const [id, delayMs] of [30, 10, 20, 10, 0, 10, 40].entries()) events.in(delayMs, () => void happened.push(id));
    events.runUntil(40);
    expect([happened, events.nowMs]).toEqual([[4, 1, 3, 5, 2, 0], 40]);
  });
});
