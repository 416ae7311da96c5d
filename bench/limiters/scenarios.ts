/** The limits that providers run, at rates below, at and above them. */

import { concurrency, fixedWindow, outage, randomFailures, slidingWindow, tokenBucket } from './limiters.ts';
import type { HintKind, Scenario } from './simulate.ts';

const HINTS: readonly HintKind[] = ['exact', 'rounded up', 'too long', 'missing', 2_000, 5_000];
const LOADS = [0.7, 0.97, 1.15, 1.6];

const limited = (name: string, perS: number, limiters: Scenario['limiters'], cost?: Scenario['cost']): Scenario[] =>
  LOADS.flatMap((load) => HINTS.map((hint) => ({ name, offered: perS * load, hint, limiters, cost })));

const unhinted = (
  name: string,
  offered: readonly number[],
  rest: Pick<Scenario, 'limiters' | 'serviceMs'>,
): Scenario[] => offered.map((rate) => ({ name, offered: rate, hint: 'missing', ...rest }));

const tokens: Scenario['cost'] = (dice) => 40 + Math.floor(320 * dice());

export const SCENARIOS: readonly Scenario[] = [
  ...limited('10 in each second', 10, () => [fixedWindow(10, 1_000)]),
  ...limited('100 in each 10 s', 10, () => [fixedWindow(100, 10_000)]),
  ...limited('300 in each minute', 5, () => [fixedWindow(300, 60_000)]),
  ...limited('bucket of 16, 8 a second', 8, () => [tokenBucket(8, 16)]),
  ...limited('30 in any 5 s', 6, () => [slidingWindow(30, 5_000)]),
  ...limited('60,000 tokens a minute', 5, () => [tokenBucket(1_000, 60_000)], tokens),
  ...unhinted('4 at a time', [14, 19.4, 24], { limiters: () => [concurrency(4)] }),
  ...unhinted('4 at a time, slow', [1.4, 1.94, 2.4], { limiters: () => [concurrency(4)], serviceMs: 2_000 }),
  ...unhinted('2 % fail at random', [2, 7, 40], { limiters: (dice) => [randomFailures(0.02, dice)] }),
  ...unhinted('10 % fail at random', [2, 7, 40], { limiters: (dice) => [randomFailures(0.1, dice)] }),
  ...unhinted('30 s of outage', [2, 7, 40], { limiters: (_, startMs) => [outage(60_000, 90_000, startMs)] }),
  ...LOADS.map((load) => ({
    name: '100 in each 10 s, announced',
    offered: 10 * load,
    hint: 'exact' as const,
    limiters: () => [fixedWindow(100, 10_000)],
    announces: true,
  })),
];
