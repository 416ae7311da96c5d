/** The limits that providers use, with loads below, at and above them. */

import type { Dice } from '../dice.ts';
import {
  announcing,
  begunWindow,
  blockingWindow,
  concurrency,
  fixedWindow,
  type Limiter,
  noLimit,
  outage,
  randomFailures,
  slidingWindow,
  tokenBucket,
} from './limiters.ts';
import type { HintKind, Scenario } from './simulate.ts';

const HINTS: readonly [HintKind, ...HintKind[]] = ['exact', 'rounded up', 'too long', 'missing', 2_000, 5_000];
const LOADS = [0.7, 0.97, 1.15, 1.6];

const limited = (name: string, perS: number, limiters: Scenario['limiters'], cost?: Scenario['cost']): Scenario[] =>
  LOADS.flatMap((load) => HINTS.map((hint) => ({ name, offered: perS * load, hint, limiters, cost })));

const unhinted = (
  name: string,
  offered: readonly number[],
  rest: Pick<Scenario, 'limiters' | 'serviceMs'>,
): Scenario[] => offered.map((rate) => ({ name, offered: rate, hint: 'missing', ...rest }));

const announced = (name: string, perS: number, limiters: Scenario['limiters']): Scenario[] =>
  LOADS.map((load) => ({
    name: `${name}, announced`,
    offered: perS * load,
    hint: 'exact',
    limiters,
    announces: 'at arrival',
  }));

/** Limits of an hour or a day that would not be exceeded within the run. */
const long = (name: string, limit: number, windowMs: number, remaining: number, leftMs: number): Scenario => ({
  name: `${name}, announced`,
  offered: 4,
  hint: 'exact',
  limiters: (_, startMs) => [begunWindow(limit, windowMs, remaining, leftMs, startMs)],
  announces: 'at arrival',
});

/** Announcements that are wrong. */
const wrong = (name: string, offered: number, limiters: Scenario['limiters']): Scenario => ({
  name: `wrong: ${name}`,
  offered,
  hint: 'rounded up',
  limiters,
  announces: 'at arrival',
});

const HOUR_MS = 3_600_000;

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
  ...announced('100 in each 10 s', 10, () => [fixedWindow(100, 10_000)]),
  ...announced('bucket of 16, 8 a second', 8, () => [tokenBucket(8, 16)]),
  ...announced('30 in any 5 s', 6, () => [slidingWindow(30, 5_000)]),
  ...announced('30 in any 5 s, until the newest', 6, () => [slidingWindow(30, 5_000, 'newest')]),
  ...announced('60 in any minute, until the newest', 1, () => [slidingWindow(60, 60_000, 'newest')]),
  long('1,000 of 5,000 for 50 minutes', 5_000, HOUR_MS, 1_000, 3_000_000),
  long('1,500 of 10,000 a day', 10_000, 24 * HOUR_MS, 1_500, 20 * HOUR_MS),
  { ...long('200 a day', 200, 24 * HOUR_MS, 200, 24 * HOUR_MS), offered: 0.75 },
  ...[3, 8, 12].map((offered): Scenario => ({
    name: 'two models, 5 a second each, announced',
    offered,
    hint: 'exact',
    limiters: () => [tokenBucket(5, 10)],
    announces: 'at arrival',
    models: 2,
  })),
  wrong('none left', 4, () => [announcing(noLimit(), () => ({ limit: 100, remaining: 0, resetMs: 5_000 }))]),
  wrong('none left for 60 s', 4, () => [announcing(noLimit(), () => ({ limit: 100, remaining: 0, resetMs: 60_000 }))]),
  wrong('none left for a year', 4, () => [
    announcing(noLimit(), () => ({ limit: 100, remaining: 0, resetMs: 365 * 24 * HOUR_MS })),
  ]),
  wrong('40 left for 20 h', 4, () => [
    announcing(noLimit(), ({ remaining }) => ({
      limit: 1_000,
      remaining: Math.min(40, remaining),
      resetMs: 20 * HOUR_MS,
    })),
  ]),
  ...[9, 13].flatMap((offered) => [
    wrong('milliseconds for seconds, 100 in each 10 s', offered, () => [
      announcing(fixedWindow(100, 10_000), ({ resetMs, ...rest }) => ({ ...rest, resetMs: 1_000 * resetMs })),
    ]),
    wrong('a clock an hour ahead, 100 in each 10 s', offered, () => [
      announcing(fixedWindow(100, 10_000), ({ resetMs, ...rest }) => ({ ...rest, resetMs: resetMs + HOUR_MS })),
    ]),
    wrong('a clock 3 s ahead, 100 in each 10 s', offered, () => [
      announcing(fixedWindow(100, 10_000), ({ resetMs, ...rest }) => ({ ...rest, resetMs: resetMs + 3_000 })),
    ]),
  ]),
  ...(['missing', 'exact'] as const).flatMap((hint) =>
    [0.7, 0.9, 1.2].map((load): Scenario => ({
      name: '20 in each 5 s, blocks for 15 s',
      offered: 4 * load,
      hint,
      limiters: () => [blockingWindow(20, 5_000, 15_000)],
    })),
  ),
  ...[7, 40].map((offered): Scenario => ({
    name: 'a restart of 8 s',
    offered,
    hint: 'missing',
    limiters: () => [noLimit()],
    isDown: (passedMs) => passedMs >= 60_000 && passedMs < 68_000,
  })),
  ...[2, 7].map((offered): Scenario => ({
    name: 'a minute of refusals',
    offered,
    hint: 'missing',
    limiters: (_, startMs) => [{ ...outage(60_000, 120_000, startMs), status: 429 }],
  })),
  ...[9, 13].map((offered) =>
    wrong('a clock 3 s behind, 100 in each 10 s', offered, () => [
      announcing(fixedWindow(100, 10_000), ({ resetMs, ...rest }) => ({
        ...rest,
        resetMs: Math.max(0, resetMs - 3_000),
      })),
    ]),
  ),
  ...[4, 7].map((offered): Scenario => ({
    name: '100 in each 10 s, others send 5 a second',
    offered,
    hint: 'exact',
    limiters: () => [fixedWindow(100, 10_000)],
    others: 5,
  })),
  ...(
    [
      ['10 in each second', () => fixedWindow(10, 1_000)],
      ['10 in any second', () => slidingWindow(10, 1_000)],
      ['bucket of 1, 10 a second', () => tokenBucket(10, 1)],
    ] as const
  ).map(([name, limiter]): Scenario => ({
    name: `${name}, stated`,
    offered: 9,
    hint: 'missing',
    limiters: () => [limiter()],
    stated: { requestsPerSecond: 10 },
  })),
];

const rounded = (value: number): number => Number(value.toPrecision(2));

/** Random scenarios: limiters, rates, windows, hints and response times for which no figure of the gate was chosen. */
export function drawScenarios(count: number, dice: Dice): readonly Scenario[] {
  const between = (from: number, to: number): number => from * (to / from) ** dice();
  const oneOf = <T>(...values: readonly [T, ...T[]]): T => values[Math.floor(dice() * values.length)] ?? values[0];
  return Array.from({ length: count }, (): Scenario => {
    const serviceMs = rounded(between(60, 3_000));
    const load = rounded(between(0.5, 1.9));
    const hint = oneOf(...HINTS);
    const limit = Math.round(between(4, 150));
    const perS = rounded(between(1, 25));
    const windowMs = oneOf(1_000, 2_000, 5_000, 15_000, 30_000, 60_000);
    const least = Math.max(2, Math.round((perS * windowMs) / 1_000));
    const offered = rounded((load * least * 1_000) / windowMs);
    const common = { hint, serviceMs, offered };
    switch (
      oneOf('fixed', 'fixed', 'sliding', 'bucket', 'concurrency', 'concurrency', 'random', 'outage', 'announced')
    ) {
      case 'sliding':
        return {
          name: `${least} in any ${windowMs / 1_000} s`,
          limiters: () => [slidingWindow(least, windowMs)],
          ...common,
        };
      case 'bucket': {
        const burst = Math.max(1, Math.round(perS * between(0.5, 10)));
        const limiters = (): Limiter[] => [tokenBucket(perS, burst)];
        return { ...common, name: `bucket of ${burst}, ${perS} a second`, limiters, offered: rounded(load * perS) };
      }
      case 'concurrency': {
        const places = Math.round(between(2, 20));
        const rate = rounded((Math.min(load, 1.4) * places * 1_000) / serviceMs);
        const limiters = (): Limiter[] => [concurrency(places)];
        return {
          ...common,
          name: `${places} at a time`,
          limiters,
          offered: Math.min(60, rate),
          hint: oneOf<HintKind>('missing', 'missing', 1_000),
        };
      }
      case 'random': {
        const share = rounded(between(0.01, 0.2));
        return {
          ...common,
          name: `${100 * share} % fail at random`,
          limiters: (server) => [randomFailures(share, server)],
          hint: 'missing',
        };
      }
      case 'outage': {
        const forMs = Math.round(between(4_000, 60_000));
        const limiters: Scenario['limiters'] = (_, startMs) => [outage(60_000, 60_000 + forMs, startMs)];
        return {
          ...common,
          name: `${Math.round(forMs / 1_000)} s of outage`,
          limiters,
          hint: oneOf('missing', 'exact'),
        };
      }
      case 'announced': {
        const name = `${least} in each ${windowMs / 1_000} s, announced`;
        return {
          ...common,
          name,
          limiters: () => [fixedWindow(least, windowMs)],
          hint: 'exact',
          announces: oneOf('at arrival', 'when answered'),
        };
      }
      case 'fixed':
        return {
          ...common,
          name: `${limit} in each ${windowMs / 1_000} s`,
          limiters: () => [fixedWindow(limit, windowMs)],
          offered: Math.min(60, rounded((load * limit * 1_000) / windowMs)),
        };
    }
  });
}
