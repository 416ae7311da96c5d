/** One load on one limiter, called in one way. A call counts until a drain of two minutes after the last one is over. */

import { createDice } from '../../dice.ts';
import { type CallerName, type Inner, type Library, makeCaller } from './callers.ts';
import {
  type Answer,
  type Arrival,
  type Daemon,
  type Limiter,
  perSecond,
  SERVICE_MS,
  type Subject,
} from './limiter.ts';
import type { Group, Load } from './loads.ts';
import type { Time } from './time.ts';

const DRAIN_MS = 120_000;
const REFUSAL_MS = 20;
const FIRST_MINUTE_MS = 60_000;
const LONGEST_COST = 400;

const isAdmitted = ({ status }: Answer): boolean => status < 300;

/** What became of the calls of one group. */
export interface Result {
  readonly group: string;
  readonly begun: number;
  readonly answered: number;
  /** Without the calls that began in the first minute. */
  readonly answeredLater: number;
  /** Before the last call began, without the drain. */
  readonly answeredInTime: number;
  /** Ended without a success, or had not ended when the drain was over. */
  readonly failed: number;
  readonly unfinished: number;
  readonly refusals: number;
  readonly requests: number;
  /** A call that failed counts as an endless wait. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** Where requests go: to a limiter in this process, or to another process. */
export type Sender = (arrival: Arrival, serviceMs: number) => Promise<Response>;

function responseOf(answer: Answer): Response {
  const { status, headers, body = null } = answer;
  return new Response(isAdmitted(answer) ? null : body, { status, headers });
}

export function toLimiter(limiter: Limiter, time: Time): Sender {
  return async (arrival, serviceMs) => {
    const answer = await time.standStill(limiter.ask(arrival));
    await time.after(isAdmitted(answer) ? serviceMs : REFUSAL_MS);
    return responseOf(answer);
  };
}

export function toDaemon(daemon: Daemon, run: number): Sender {
  const { url, headers } = daemon.address(run);
  return async ({ tenant }, serviceMs) => {
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { ...headers, 'x-tenant': `${run} ${tenant}`, 'x-service-ms': String(Math.round(serviceMs)) },
    });
    const body = await response.text();
    return new Response(response.ok ? null : body, { status: response.status, headers: response.headers });
  };
}

interface Tally {
  begun: number;
  answered: number;
  answeredLater: number;
  answeredInTime: number;
  ended: number;
  refusals: number;
  requests: number;
  readonly latenciesMs: number[];
}

export interface Run {
  readonly subject: Subject;
  readonly load: Load;
  readonly caller: CallerName;
  readonly seed: number;
  readonly seconds: number;
  readonly library: Library;
}

export async function measure(run: Run, time: Time, send: Sender): Promise<readonly Result[]> {
  const { subject, load, caller, seed, seconds, library } = run;
  const [chance, service] = [createDice(3 * seed), createDice(3 * seed + 1)];
  const tallies = new Map<Group, Tally>(load.groups.map((group) => [group, emptyTally()]));
  const known = {
    limit: subject.limit,
    perModel: subject.perModel === true,
    sleep: (ms: number) => time.after(ms),
    random: chance,
    runtime: time.runtime(chance),
  };
  let broken: { readonly error: unknown } | undefined;
  const inner: Inner = async (_, init) => {
    const { tenant, model, cost, group }: Arrival & { readonly group: number } = JSON.parse(String(init.body));
    const tally = [...tallies.values()][group];
    if (tally === undefined) throw new Error(`There is no group ${group}.`);
    tally.requests += 1;
    const response = await send({ tenant, model, cost }, SERVICE_MS * (0.5 + service())).catch((error: unknown) => {
      // A limiter in this process that fails is no limiter; a connection of another process may be lost.
      if (subject.clock === 'simulated') broken ??= { error };
      throw error;
    });
    if (!response.ok) tally.refusals += 1;
    return response;
  };
  const programs = {
    judged: await makeCaller(caller, library, inner, known),
    other: await makeCaller('plain', library, inner, known),
  };

  const startMs = time.nowMs;
  let waiting = 0;
  for (const [index, group] of load.groups.entries()) {
    const tally = tallies.get(group) ?? emptyTally();
    const dice = createDice(100 * seed + index);
    const moments = group.begin(perSecond(subject.limit), seconds, dice);
    waiting += moments.length;
    for (const atMs of moments) {
      const cost = Math.ceil(dice() * LONGEST_COST);
      const body = JSON.stringify({ tenant: group.tenant, model: group.model, cost, group: index });
      const begin = (): void => {
        tally.begun += 1;
        const begunMs = time.nowMs;
        const end = (isServed: boolean): void => {
          waiting -= 1;
          tally.ended += 1;
          tally.latenciesMs.push(isServed ? time.nowMs - begunMs : Number.POSITIVE_INFINITY);
          if (!isServed) return;
          tally.answered += 1;
          if (time.nowMs <= startMs + seconds * 1_000) tally.answeredInTime += 1;
          if (begunMs - startMs >= FIRST_MINUTE_MS) tally.answeredLater += 1;
        };
        const headers = { authorization: `Bearer ${group.tenant}`, 'content-type': 'application/json' };
        programs[group.program]('https://api.example.com/v1/messages', { method: 'POST', headers, body }).then(
          ({ ok }) => end(ok),
          () => end(false),
        );
      };
      void time.after(atMs).then(begin);
    }
  }
  await time.runUntil(startMs + seconds * 1_000 + DRAIN_MS, () => waiting === 0 || broken !== undefined);
  if (broken !== undefined) throw broken.error;
  return load.groups.map((group) => resultOf(group, tallies.get(group) ?? emptyTally()));
}

const emptyTally = (): Tally => ({
  begun: 0,
  answered: 0,
  answeredLater: 0,
  answeredInTime: 0,
  ended: 0,
  refusals: 0,
  requests: 0,
  latenciesMs: [],
});

function resultOf(group: Group, tally: Tally): Result {
  const unfinished = tally.begun - tally.ended;
  const sorted = [...tally.latenciesMs, ...Array.from({ length: unfinished }, () => Number.POSITIVE_INFINITY)].sort(
    (one, other) => one - other,
  );
  const quantile = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? Number.POSITIVE_INFINITY;
  return {
    group: group.name,
    begun: tally.begun,
    answered: tally.answered,
    answeredLater: tally.answeredLater,
    answeredInTime: tally.answeredInTime,
    failed: tally.begun - tally.answered,
    unfinished,
    refusals: tally.refusals,
    requests: tally.requests,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    longestMs: sorted.at(-1) ?? 0,
  };
}
