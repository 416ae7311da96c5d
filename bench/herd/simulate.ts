/** One scenario with one policy: 10,000 clients in a closed loop, and what the server saw of them second by second. */

import type { Gate } from '../../src/gate/gate.ts';
import { type Policy, resolveConfig } from '../../src/policy/policy.ts';
import type { RetryConfig } from '../../src/policy/config.ts';
import { Call } from './client.ts';
import { createDice, exponentialTime } from './dice.ts';
import { EventQueue } from './event-queue.ts';
import { unavailable } from './failures.ts';
import { type Scenario, TROUBLE_FROM_S, TROUBLE_UNTIL_S } from './scenarios.ts';
import { Server } from './server.ts';

/** How a fleet is set up: the policy, and the gate of each of its processes. */
export interface Fleet {
  readonly config: RetryConfig;
  /** Called once per process; null: no gate. */
  readonly gateOf: () => Gate | null;
  readonly clients: number;
  readonly clientsPerProcess: number;
}

/** What happened, per second. */
export interface Timeline {
  readonly requests: readonly number[];
  readonly successes: readonly number[];
  readonly capacityPerS: number;
}

export interface Result extends Timeline {
  /** Requests sent per logical request begun, during the trouble. */
  readonly amplification: number;
  /** The busiest second from the beginning of the trouble on, over the capacity of the healthy server. */
  readonly peakOverCapacity: number;
  /** Whole seconds from the end of the trouble until as many requests succeed as before it (95 %); null: not seen. */
  readonly recoveryS: number | null;
  /** Of the logical requests that ended, in the whole run. */
  readonly successRate: number;
}

const START_MS = 1_800_000_000_000;
const THINK_MS = 10_000;
const SERVICE_MS = 105;
const LOAD = 0.7;
const TARGET = { url: 'https://api.example.com/v1/messages', headers: { authorization: 'Bearer fleet' } };

export function simulate(scenario: Scenario, fleet: Fleet, seed: number): Result {
  const dice = createDice(seed);
  const events = new EventQueue(START_MS);
  const clock = { now: () => Math.floor(events.nowMs), random: dice };
  const policy: Policy = resolveConfig({ ...fleet.config, runtime: clock });
  const capacityPerS = (fleet.clients * 1_000) / (THINK_MS + SERVICE_MS) / LOAD;
  const server = new Server({ capacityPerS, overload: unavailable, events, dice });
  const seconds = TROUBLE_UNTIL_S + scenario.observedS;
  const counts = {
    requests: Array.from({ length: seconds }, () => 0),
    begun: Array.from({ length: seconds }, () => 0),
    successes: Array.from({ length: seconds }, () => 0),
    failures: Array.from({ length: seconds }, () => 0),
  };
  const count = (what: number[]): void => {
    const second = Math.floor((events.nowMs - START_MS) / 1_000);
    what[second] = (what[second] ?? 0) + 1;
  };

  const live = (gate: Gate | null): void => {
    count(counts.begun);
    const call = new Call({
      policy,
      pass: gate?.pass(TARGET, clock) ?? null,
      random: dice,
      events,
      timeoutMs: scenario.timeoutMs,
      send: (answer) => {
        count(counts.requests);
        server.send(answer);
      },
      done: (success) => {
        count(success ? counts.successes : counts.failures);
        events.in(exponentialTime(THINK_MS, dice), () => live(gate));
      },
    });
    call.attempt();
  };
  let gate: Gate | null = null;
  for (let client = 0; client < fleet.clients; client += 1) {
    if (client % fleet.clientsPerProcess === 0) gate = fleet.gateOf();
    const own = gate;
    events.in(exponentialTime(THINK_MS, dice), () => live(own));
  }
  events.in(TROUBLE_FROM_S * 1_000, () => server.begin(scenario.trouble));
  events.in(TROUBLE_UNTIL_S * 1_000, () => server.begin({ queueS: scenario.trouble.queueS }));
  events.runUntil(START_MS + seconds * 1_000);

  const inTrouble = (what: readonly number[]): number => sum(what.slice(TROUBLE_FROM_S, TROUBLE_UNTIL_S));
  const usual = sum(counts.successes.slice(10, TROUBLE_FROM_S)) / (TROUBLE_FROM_S - 10);
  const recovery = counts.successes.slice(TROUBLE_UNTIL_S).findIndex((successes) => successes >= 0.95 * usual);
  const succeeded = sum(counts.successes);
  return {
    amplification: inTrouble(counts.requests) / inTrouble(counts.begun),
    peakOverCapacity: Math.max(...counts.requests.slice(TROUBLE_FROM_S)) / capacityPerS,
    recoveryS: recovery < 0 ? null : recovery,
    successRate: succeeded / (succeeded + sum(counts.failures)),
    requests: counts.requests,
    successes: counts.successes,
    capacityPerS,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
