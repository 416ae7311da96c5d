/** Runs one limiter with one client process that calls it at random times. */

import type { GateLimits } from '../../src/gate/stated-limit.ts';
import type { RetryConfig } from '../../src/options/config.ts';
import { createRetryFetch } from '../../src/retry-fetch.ts';
import { createDice, type Dice, exponentialTime } from '../dice.ts';
import { VirtualTime } from '../virtual-time.ts';
import type { Limiter } from './limiters.ts';

/** The hint of a refusal: exact to the millisecond, in whole seconds, three times too late, missing, or constant. */
export type HintKind = 'exact' | 'rounded up' | 'too long' | 'missing' | number;

export interface Scenario {
  readonly name: string;
  /** A request needs the permission of all of them. */
  readonly limiters: (dice: Dice, startMs: number) => readonly Limiter[];
  /** The number of calls per second. */
  readonly offered: number;
  readonly hint: HintKind;
  /** The average time of a response. @default 200 */
  readonly serviceMs?: number | undefined;
  /** The cost of a request. @default 1 */
  readonly cost?: ((dice: Dice) => number) | undefined;
  /**
   * Whether responses announce the rest of the limit, and at which moment: when the request arrived, or was answered.
   */
  readonly announces?: 'at arrival' | 'when answered' | undefined;
  /** The models that calls ask in turn; each has its own limiters. @default one */
  readonly models?: number | undefined;
  /** While it is true no connection can be made. */
  readonly isDown?: ((passedMs: number) => boolean) | undefined;
  /** Requests per second of programs without a gate on the same limit, each sent once. @default none */
  readonly others?: number | undefined;
  /** What the user states of the limit, for the gate. @default nothing */
  readonly stated?: GateLimits | undefined;
}

export interface Result {
  readonly servedPerS: number;
  /** Over all calls that have ended; a failed call counts as an endless wait. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly begun: number;
  readonly failed: number;
  readonly refusals: number;
  readonly requestsPerCall: number;
  /** Calls that had not ended when the time was over. */
  readonly waiting: number;
}

const START_MS = 1_800_000_000_137;
const REFUSAL_MS = 20;
const URL = 'https://api.example.com/v1/messages';

export async function simulate(scenario: Scenario, config: RetryConfig, seed: number, seconds = 240): Promise<Result> {
  const { offered, hint, serviceMs = 200, cost = () => 1, announces } = scenario;
  const [dice, arrivals, server] = [createDice(3 * seed), createDice(3 * seed + 1), createDice(3 * seed + 2)];
  const time = new VirtualTime(START_MS);
  const { models = 1, isDown, others } = scenario;
  const limitersOf = Array.from({ length: models }, () => scenario.limiters(server, START_MS));
  const unit = scenario.cost === undefined ? 'requests' : 'tokens';
  const latenciesMs: number[] = [];
  const counts = { begun: 0, failed: 0, requests: 0, refusals: 0 };

  const inner = (_: unknown, init?: RequestInit): Promise<Response> => {
    counts.requests += 1;
    const request = JSON.parse(String(init?.body));
    const size = Number(request.size);
    const limiters = limitersOf[Number(request.number ?? 0)] ?? [];
    if (isDown?.(time.nowMs - START_MS) === true) {
      const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
      return Promise.reject(new TypeError('fetch failed', { cause }));
    }
    const admitted: Limiter[] = [];
    for (const limiter of limiters) {
      const ruling = limiter.ask(time.nowMs, size);
      if (ruling.admitted) {
        admitted.push(limiter);
        continue;
      }
      counts.refusals += 1;
      for (const other of admitted) other.done?.();
      const headers = {
        ...hintHeader(hint, ruling.freeInMs),
        ...(announces && announcement(limiter, time.nowMs, unit)),
      };
      return after(REFUSAL_MS, () => new Response(null, { status: limiter.status, headers }));
    }
    const atArrival = announcement(limiters[0], time.nowMs, unit);
    return after(serviceMs * (0.5 + server()), () => {
      for (const limiter of admitted) limiter.done?.();
      const headers =
        announces === 'at arrival' ? atArrival : announces ? announcement(limiters[0], time.nowMs, unit) : {};
      return new Response(null, { headers });
    });
  };
  const after = (ms: number, respond: () => Response): Promise<Response> => time.after(ms).then(respond);

  const fetch = createRetryFetch({ fetch: inner, ...config, runtime: time.runtime(dice) });
  const arrive = (): void => {
    counts.begun += 1;
    const startedMs = time.nowMs;
    const end = (isServed: boolean): void => {
      if (!isServed) counts.failed += 1;
      latenciesMs.push(isServed ? time.nowMs - startedMs : Number.POSITIVE_INFINITY);
    };
    const number = counts.begun % models;
    const model = models === 1 ? {} : { model: `model-${number}`, number };
    fetch(URL, { method: 'POST', body: JSON.stringify({ ...model, size: cost(dice) }) }).then(
      ({ ok }) => end(ok),
      () => end(false),
    );
    time.in(exponentialTime(1_000 / offered, arrivals), arrive);
  };
  arrive();
  if (others !== undefined) {
    const chance = createDice(3 * seed + 3);
    const sendOther = (): void => {
      for (const limiter of limitersOf[0] ?? [])
        if (limiter.ask(time.nowMs, 1).admitted) time.in(serviceMs, () => limiter.done?.());
      time.in(exponentialTime(1_000 / others, chance), sendOther);
    };
    sendOther();
  }
  await time.runUntil(START_MS + seconds * 1_000);

  latenciesMs.sort((one, other) => one - other);
  const quantile = (share: number): number =>
    latenciesMs[Math.floor(share * latenciesMs.length)] ?? Number.POSITIVE_INFINITY;
  return {
    servedPerS: (latenciesMs.length - counts.failed) / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    begun: counts.begun,
    failed: counts.failed,
    refusals: counts.refusals,
    requestsPerCall: counts.requests / counts.begun,
    waiting: counts.begun - latenciesMs.length,
  };
}

function hintHeader(hint: HintKind, freeInMs: number): Record<string, string> {
  if (hint === 'missing' || (freeInMs === 0 && typeof hint !== 'number')) return {};
  if (typeof hint === 'number') return { 'retry-after-ms': String(hint) };
  if (hint === 'rounded up') return { 'retry-after': String(Math.ceil(freeInMs / 1_000)) };
  return { 'retry-after-ms': String(Math.ceil(hint === 'exact' ? freeInMs : 3 * freeInMs + 1_000)) };
}

function announcement(limiter: Limiter | undefined, nowMs: number, unit: string): Record<string, string> {
  const standing = limiter?.standing?.(nowMs);
  if (standing === undefined) return {};
  return {
    [`x-ratelimit-limit-${unit}`]: String(standing.limit),
    [`x-ratelimit-remaining-${unit}`]: String(standing.remaining),
    [`x-ratelimit-reset-${unit}`]: `${Math.ceil(standing.resetMs)}ms`,
  };
}
