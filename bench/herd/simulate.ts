/** Runs one scenario with one policy: 10,000 clients in a closed loop, and the load of the server in each second. */

import type { RetryConfig } from '../../src/options/config.ts';
import { createRetryFetch } from '../../src/retry-fetch.ts';
import { createDice, exponentialTime } from '../dice.ts';
import { VirtualTime } from '../virtual-time.ts';
import { type Scenario, TROUBLE_FROM_S, TROUBLE_UNTIL_S, unavailable } from './scenarios.ts';
import { Server } from './server.ts';

/** The settings of a fleet. */
export interface Fleet {
  /** The policy of a process, with its own gate if it has one. Called once per process. */
  readonly configOf: () => RetryConfig;
  readonly clients: number;
  readonly clientsPerProcess: number;
}

export interface Result {
  /** Requests sent per logical request begun, during the trouble. */
  readonly amplification: number;
  /** The busiest second since the start of the trouble, over the capacity of the healthy server. */
  readonly peakOverCapacity: number;
  /** Whole seconds from the end of the trouble until 95 % as many requests succeed as before it; null: never. */
  readonly recoveryS: number | null;
  /** The share of the logical requests that succeeded, over the whole run. */
  readonly successRate: number;
}

const START_MS = 1_800_000_000_000;
const THINK_MS = 10_000;
const SERVICE_MS = 105;
const LOAD = 0.7;
const URL = 'https://api.example.com/v1/messages';
const REQUEST: RequestInit = { method: 'POST', headers: { authorization: 'Bearer fleet' }, body: '{}' };

export async function simulate(scenario: Scenario, fleet: Fleet, seed: number): Promise<Result> {
  const dice = createDice(seed);
  const time = new VirtualTime(START_MS);
  const { timeoutMs, trouble, observedS } = scenario;
  const capacityPerS = (fleet.clients * 1_000) / (THINK_MS + SERVICE_MS) / LOAD;
  const server = new Server({ capacityPerS, overload: unavailable, timeoutMs, time, dice });
  const seconds = TROUBLE_UNTIL_S + observedS;
  const perSecond = (): number[] => Array.from({ length: seconds }, () => 0);
  const counts = { requests: perSecond(), begun: perSecond(), successes: perSecond(), failures: perSecond() };
  const count = (what: number[]): void => {
    const second = Math.floor((time.nowMs - START_MS) / 1_000);
    what[second] = (what[second] ?? 0) + 1;
  };
  const inner = (): Promise<Response> => {
    count(counts.requests);
    return server.fetch();
  };
  const live = (fetch: typeof globalThis.fetch): void => {
    count(counts.begun);
    const end = (isSuccess: boolean): void => {
      count(isSuccess ? counts.successes : counts.failures);
      time.in(exponentialTime(THINK_MS, dice), () => live(fetch));
    };
    fetch(URL, REQUEST).then(
      ({ ok }) => end(ok),
      () => end(false),
    );
  };
  let fetch = globalThis.fetch;
  for (let client = 0; client < fleet.clients; client += 1) {
    if (client % fleet.clientsPerProcess === 0)
      fetch = createRetryFetch({ fetch: inner, ...fleet.configOf(), runtime: time.runtime(dice) });
    const own = fetch;
    time.in(exponentialTime(THINK_MS, dice), () => live(own));
  }
  time.in(TROUBLE_FROM_S * 1_000, () => server.begin(trouble));
  time.in(TROUBLE_UNTIL_S * 1_000, () => server.begin({ queueS: trouble.queueS }));
  await time.runUntil(START_MS + seconds * 1_000);

  const inTrouble = (what: readonly number[]): number => sum(what.slice(TROUBLE_FROM_S, TROUBLE_UNTIL_S));
  const usual = sum(counts.successes.slice(10, TROUBLE_FROM_S)) / (TROUBLE_FROM_S - 10);
  const recovery = counts.successes.slice(TROUBLE_UNTIL_S).findIndex((successes) => successes >= 0.95 * usual);
  const succeeded = sum(counts.successes);
  return {
    amplification: inTrouble(counts.requests) / inTrouble(counts.begun),
    peakOverCapacity: Math.max(...counts.requests.slice(TROUBLE_FROM_S)) / capacityPerS,
    recoveryS: recovery < 0 ? null : recovery,
    successRate: succeeded / (succeeded + sum(counts.failures)),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
