import { describe, expect, test } from 'vitest';
import { concurrency, fixedWindow, randomFailures, slidingWindow, tokenBucket } from '../../bench/limiters/limiters.ts';
import { type Result, type Scenario, simulate } from '../../bench/limiters/simulate.ts';
import { SCENARIOS as LIMITERS } from '../../bench/limiters/scenarios.ts';
import { SCENARIOS } from '../../bench/herd/scenarios.ts';
import { simulate as simulateHerd } from '../../bench/herd/simulate.ts';
import { createGate, type GateOptions, presets, type RetryConfig } from '../../src/index.ts';
import { oneIn, times } from '../thorough.ts';

const SECONDS = times({ thorough: 120, otherwise: 60 });

const simulateGated = (scenario: Scenario, seconds = SECONDS, options: GateOptions = {}): Promise<Result> =>
  simulate(scenario, { ...presets.fleet, gate: createGate(options) }, 1, seconds);

const both = async (scenario: Scenario, seconds = SECONDS) => ({
  without: await simulate(scenario, presets.fleet, 1, seconds),
  gated: await simulateGated(scenario, seconds),
});

describe('at an ordinary limit the gate serves as much, as fast', () => {
  const rows: readonly Scenario[] = [
    { name: '10 a second, Retry-After: 5', offered: 7, hint: 5_000, limiters: () => [fixedWindow(10, 1_000)] },
    { name: '10 a second and 16 offered', offered: 16, hint: 'exact', limiters: () => [fixedWindow(10, 1_000)] },
    { name: '4 at a time, without hints', offered: 14, hint: 'missing', limiters: () => [concurrency(4)] },
    { name: '4 at a time, and more offered', offered: 24, hint: 'missing', limiters: () => [concurrency(4)] },
    { name: '10 % random failures', offered: 7, hint: 'missing', limiters: (dice) => [randomFailures(0.1, dice)] },
  ];
  test.each(oneIn(2, rows))('with $name', async (scenario) => {
    const { without, gated } = await both(scenario);
    expect(gated.servedPerS).toBeGreaterThanOrEqual(0.97 * without.servedPerS);
    expect(gated.p50Ms).toBeLessThanOrEqual(1.25 * without.p50Ms + 250);
    expect(gated.p99Ms).toBeLessThanOrEqual(1.5 * without.p99Ms + 1_000);
    expect(gated.failed).toBeLessThanOrEqual(without.failed + 0.01 * without.begun);
    expect(gated.refusals).toBeLessThanOrEqual(1.1 * without.refusals + 3);
  });
});

test.each([
  { offered: 19.4, serviceMs: 200, mostRefused: 0.3, p50Ms: 500 },
  { offered: 24, serviceMs: 200, mostRefused: 1, p50Ms: 600 },
  { offered: 2.4, serviceMs: 2_000, mostRefused: 1, p50Ms: 5_000 },
])(
  'where four at a time are served, in $serviceMs ms, and $offered a second are offered, few are refused and none fails',
  async ({ offered, serviceMs, mostRefused, p50Ms }) => {
    const scenario: Scenario = { name: '', offered, serviceMs, hint: 'missing', limiters: () => [concurrency(4)] };
    const gated = await simulateGated(scenario);
    expect(gated.failed).toBe(0);
    expect(gated.refusals).toBeLessThanOrEqual(mostRefused * gated.begun);
    expect(gated.p50Ms).toBeLessThanOrEqual(p50Ms);
  },
);

describe('an announced limit of ten a second is used fully, and hardly any request is refused', () => {
  const window: Scenario['limiters'] = () => [fixedWindow(100, 10_000)];
  const shortWindow: Scenario['limiters'] = () => [fixedWindow(10, 1_000)];
  const bucket: Scenario['limiters'] = () => [tokenBucket(10, 10)];
  const sliding = (reset: 'newest' | 'oldest') => () => [slidingWindow(100, 10_000, reset)];
  const slow = { announces: 'at arrival', serviceMs: 3_000 } as const;
  const rows: readonly (readonly [string, Partial<Scenario>, mostRefused: number])[] = [
    ['a window', { announces: 'at arrival' }, 0.01],
    ['a window shorter than the answers', { limiters: shortWindow, ...slow }, 0.04],
    ['a window, by answers that tell what was left at their end', { announces: 'when answered' }, 0.01],
    ['a bucket that is filled before the answer comes', { limiters: bucket, ...slow }, 0.04],
    ['a bucket with a reserve', { limiters: () => [tokenBucket(10, 30)], announces: 'at arrival' }, 0.01],
    // Its reports are taken for those of the moment at which a request arrives.
    [
      'a bucket, by answers that tell what was left at their end',
      { limiters: () => [tokenBucket(10, 30)], announces: 'when answered' },
      0.07,
    ],
    ['a sliding window, by its newest request', { limiters: sliding('newest'), announces: 'when answered' }, 0.06],
    // Its first reports are those of a window.
    ['a sliding window, by its oldest request', { limiters: sliding('oldest'), announces: 'at arrival' }, 0.06],
  ];
  test.each(oneIn(2, rows))('in %s', async (name, rest, mostRefused) => {
    const scenario: Scenario = { name, offered: 13, hint: 'exact', limiters: window, ...rest };
    const gated = await simulateGated(scenario, 120);
    expect(gated.refusals).toBeLessThanOrEqual(mostRefused * gated.requestsPerCall * gated.begun);
    expect(gated.servedPerS).toBeGreaterThanOrEqual(9.4);
  });

  test.each<{ kind: string; limiters: Scenario['limiters']; factor: number }>([
    { kind: 'a window', limiters: () => [fixedWindow(10_000, 10_000)], factor: 0.5 },
    { kind: 'a window', limiters: () => [fixedWindow(10_000, 10_000)], factor: 2 },
    { kind: 'a bucket', limiters: () => [tokenBucket(1_000, 1_000)], factor: 0.5 },
    { kind: 'a bucket', limiters: () => [tokenBucket(1_000, 1_000)], factor: 2 },
  ])('$kind of tokens, with an estimate that is off by a factor of $factor', async ({ limiters, factor }) => {
    const cost: Scenario['cost'] = (dice) => 50 + Math.floor(100 * dice());
    const estimate: GateOptions['cost'] = ({ body }) => factor * Number(JSON.parse(String(body)).size);
    const scenario: Scenario = { name: '', offered: 13, hint: 'exact', limiters, cost, announces: 'at arrival' };
    const gated = await simulateGated(scenario, SECONDS, { cost: estimate });
    expect(gated.refusals).toBeLessThanOrEqual(0.01 * gated.requestsPerCall * gated.begun);
    expect(gated.servedPerS).toBeGreaterThanOrEqual(9.5);
  });
});

describe('the gate does no harm', () => {
  const named = (text: string): readonly Scenario[] => LIMITERS.filter(({ name }) => name.includes(text));

  test.each(oneIn(2, [...named(' of 5,000'), ...named('a day')]))(
    'under $name: as much is served, at once',
    async (scenario) => {
      const { without, gated } = await both(scenario);
      expect(gated.servedPerS).toBeGreaterThanOrEqual(0.96 * without.servedPerS);
      expect(gated.p99Ms).toBeLessThanOrEqual(without.p99Ms + 300);
    },
  );

  test.each(oneIn(3, named('wrong: ')))(
    '$name, $offered a second: what the headers say is not believed for long',
    async (scenario) => {
      const { without, gated } = await both(scenario);
      expect(gated.servedPerS).toBeGreaterThanOrEqual(0.9 * without.servedPerS);
      // Far above the limit some calls are told of a hold of an hour before it is contradicted.
      expect(gated.failed).toBeLessThanOrEqual(without.failed + (scenario.offered > 10 ? 0.03 : 0.005) * without.begun);
    },
  );

  test.each(named('two models').slice(0, 2))('$name, $offered a second: each is served as alone', async (scenario) => {
    const { without, gated } = await both(scenario);
    expect(gated.servedPerS).toBeGreaterThanOrEqual(0.97 * without.servedPerS);
    expect(gated.waiting).toBeLessThanOrEqual(without.waiting + 3);
  });

  test.each(named('until the newest').slice(0, 2))('$name, $offered a second: no window is seen', async (scenario) => {
    const { without, gated } = await both(scenario);
    expect(gated.servedPerS).toBeGreaterThanOrEqual(0.97 * without.servedPerS);
  });

  test.each(oneIn(2, named('blocks')))('$name, $offered a second, hint $hint: no more is refused', async (scenario) => {
    const { without, gated } = await both(scenario, 120);
    expect(gated.servedPerS).toBeGreaterThanOrEqual(without.servedPerS);
    expect(gated.failed).toBeLessThanOrEqual(without.failed);
    expect(gated.refusals).toBeLessThanOrEqual(0.2 * gated.begun);
    expect(gated.p50Ms).toBeLessThanOrEqual(2_000);
  });

  test.each(oneIn(2, named('a restart')))('in $name, $offered a second: no more calls fail', async (scenario) => {
    const { without, gated } = await both(scenario);
    expect(gated.failed).toBeLessThanOrEqual(without.failed);
  });

  test.each(oneIn(2, named('a minute of refusals')))(
    'in $name without a hint, $offered a second: no call fails',
    async (scenario) => {
      const gated = await simulateGated(scenario, 240);
      expect(gated.failed).toBe(0);
    },
  );
});

/** A fifth of the fleet that `bench/herd` simulates; the figures are shares. */
describe('a fleet in trouble', () => {
  test.each([
    ['full-outage', 1, 1.6, 0.985],
    ['rate-limit', 0.6, 1.6, 0.99],
    ['blips', 1.05, 1, 0.999],
  ])('%s: requests per call, peak and success', async (name, mostRequests, highestPeak, success) => {
    const scenario = SCENARIOS.find((each) => each.name === name);
    if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
    const configOf = (): RetryConfig => ({ ...presets.fleet, gate: createGate() });
    const clients = times({ thorough: 2_000, otherwise: 600 });
    const result = await simulateHerd(scenario, { configOf, clients, clientsPerProcess: 20 }, 1);
    expect(result.amplification).toBeLessThanOrEqual(mostRequests);
    expect(result.peakOverCapacity).toBeLessThanOrEqual(highestPeak);
    expect(result.successRate).toBeGreaterThanOrEqual(success);
  });
});
