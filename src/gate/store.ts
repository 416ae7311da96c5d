/**
 * The state that the processes of a fleet share about a limit: the successes of each process, the attempts that each
 * wants to send, and which process probes a server that lets nothing through. A process reports only while it is in
 * trouble, and gets a share of the pace for a short time, a lease. Leases that are not renewed end, so a process that
 * died, a store that came back and a late report leave nothing behind.
 *
 * Only sums are kept, by the time at which their reports end, so an exchange costs the same for ten processes and for
 * thousands. A process says with each report what is still counted of it.
 *
 * This is the rule itself, for processes that are parts of one program and for tests; `redis.ts` has the same rule in
 * Lua. All amounts are whole numbers, so that both compute the same.
 */

import { systemRuntime } from '../runtime/runtime.ts';

/** How long a report counts, and a share may be used. */
export const LEASE_MS = 2_000;
/** Reports that end within so long are counted together. */
export const PART_MS = 250;
/** No rate is higher; a larger number in a store is not one of ours. */
export const MOST = 1e12;
/** How long a process may probe the server. */
export const PROBE_LEASE_MS = 10_000;

/** The report of a process. */
export interface StoreReport {
  /** Its name, different for each gate. */
  readonly process: string;
  /** Successes per 1000 seconds. */
  readonly delivered: number;
  /** The attempts that it wants to send, per 1000 seconds. */
  readonly wanted: number;
  /** Whether it wants to send a probe now. */
  readonly wantsProbe: boolean;
  /** When the report was made, by the store's clock; null: that clock is not known yet. */
  readonly sentAtMs: number | null;
  /** The last report of this process that the store has counted. @default none */
  readonly counted?: StoreCount | null | undefined;
}

/** A report as a store has counted it. */
export interface StoreCount {
  readonly delivered: number;
  readonly wanted: number;
  /** The number of the part of time in which it ends. */
  readonly part: number;
}

/** The answer to a report. */
export interface StoreShare {
  /** Its share of the successes of all processes, per 1000 seconds. */
  readonly share: number;
  /** The successes of the other processes, per 1000 seconds. */
  readonly deliveredToOthers: number;
  readonly mayProbe: boolean;
  /** The store's clock. */
  readonly nowMs: number;
  /** The part of time in which the report ends; absent: it was too late to be counted, or the store counts otherwise. */
  readonly part?: number | undefined;
}

/** The state of one limit in a store. */
export interface StoreState {
  /** The sums of the reports that end in a part of time, by its number. */
  readonly parts: Readonly<Record<string, readonly [delivered: number, wanted: number]>>;
  readonly probe: { readonly process: string; readonly untilMs: number } | null;
}

/** How long a process may hold concurrency slots without renewing them. */
export const SLOT_LEASE_MS = 6_000;
/** The longest list of turns that is reserved at once. */
const MOST_TURNS = 50;
const DAY_PART_MS = 300_000;
const DAY_PARTS = 288;
/** Processes are counted by this number of bins, so that many cost no more than a few. */
export const BINS = 64;

/** What a process asks of a limit that the user has stated. */
export interface StoreRequest {
  readonly process: string;
  /** How many turns it wants to reserve. */
  readonly turns: number;
  /** The milliseconds that a unit takes, the units that may be sent at once, and the units of each turn. */
  readonly rates: readonly (readonly [unitMs: number, burst: number, amount: number])[];
  /** The turns of any 24 hours; null: any number. */
  readonly perDay: number | null;
  /** The concurrency slots of all, those that it holds, and how many more it wants; null: any number. */
  readonly slots: { readonly most: number; readonly held: number; readonly wanted: number } | null;
}

/** The answer. */
export interface StoreTurns {
  /** When each reserved turn is, by the store's clock. */
  readonly atMs: readonly number[];
  /** The slots that were granted in addition to those that it holds. */
  readonly slots: number;
  /** About how many processes asked recently. */
  readonly processes: number;
  readonly nowMs: number;
}

/** What a store keeps of a limit that was stated. */
export interface StatedState {
  /** When the next unit of each rate is due. */
  readonly next: readonly number[];
  /** The turns of a day, by the number of their part of time. */
  readonly day: Readonly<Record<string, number>>;
  readonly slots: Readonly<Record<string, readonly [count: number, untilMs: number]>>;
  readonly bins: Readonly<Record<string, number>>;
}

export const NOTHING_STATED: StatedState = /* @__PURE__ */ Object.freeze({ next: [], day: {}, slots: {}, bins: {} });

/** Reserves turns and slots. The rule in TypeScript; `redis.ts` has it in Lua. */
export function reserve(
  state: StatedState,
  request: StoreRequest,
  nowMs: number,
): { readonly state: StatedState; readonly turns: StoreTurns } {
  const { next, day, atMs } = reserveTurns(state, request, nowMs);
  const bins = reportIn(state.bins, request.process, nowMs);
  const processes = processesIn(Object.keys(bins).length);
  const { leases, granted } = leaseSlots(state.slots, request, processes, nowMs);
  return { state: { next, day, slots: leases, bins }, turns: { atMs, slots: granted, processes, nowMs } };
}

/** Gives each turn the first moment that every rate and the day allow. */
function reserveTurns(
  state: StatedState,
  { turns, rates, perDay }: StoreRequest,
  nowMs: number,
): Pick<StatedState, 'next' | 'day'> & { readonly atMs: readonly number[] } {
  const next = rates.map(([unitMs, , amount], index) => {
    const due = state.next[index] ?? 0;
    // No queue is that long: it is from a clock that was set back since, or not ours.
    return due > nowMs + 60_000 + 1_000 * unitMs * Math.max(1, amount) ? 0 : due;
  });
  const present = Math.floor(nowMs / DAY_PART_MS);
  const day: Record<string, number> = {};
  let today = 0;
  for (const [part, count] of Object.entries(state.day)) {
    if (Number(part) < present - DAY_PARTS || Number(part) > present + DAY_PARTS) continue;
    day[part] = count;
    today += count;
  }
  const atMs: number[] = [];
  for (let turn = 0; turn < Math.min(turns, MOST_TURNS); turn += 1) {
    if (perDay !== null && today >= perDay) break;
    let at = nowMs;
    for (const [index, [unitMs, burst]] of rates.entries())
      at = Math.max(at, (next[index] ?? 0) - (burst - 1) * unitMs);
    for (const [index, [unitMs, , amount]] of rates.entries())
      next[index] = Math.max(next[index] ?? 0, at) + amount * unitMs;
    if (perDay !== null) day[present] = (day[present] ?? 0) + 1;
    today += 1;
    atMs.push(at);
  }
  return { next, day, atMs };
}

/** Counts the process that asks with those that asked recently. */
function reportIn(known: StatedState['bins'], process: string, nowMs: number): Record<string, number> {
  const bins: Record<string, number> = {};
  for (const [bin, untilMs] of Object.entries(known)) if (isDue(untilMs, LEASE_MS, nowMs)) bins[bin] = untilMs;
  bins[binOf(process)] = nowMs + LEASE_MS;
  return bins;
}

/** Renews the concurrency slots of the process, and grants it as many more as are free. */
function leaseSlots(
  known: StatedState['slots'],
  { process, slots }: StoreRequest,
  processes: number,
  nowMs: number,
): { readonly leases: StatedState['slots']; readonly granted: number } {
  if (slots === null) return { leases: {}, granted: 0 };
  const leases: Record<string, readonly [number, number]> = {};
  let others = 0;
  for (const [name, lease] of Object.entries(known)) {
    if (name === process || !isDue(lease[1], SLOT_LEASE_MS, nowMs)) continue;
    leases[name] = lease;
    others += lease[0];
  }
  const free = Math.max(0, slots.most - others - slots.held);
  // One that has its share leaves a free slot to the others.
  const hasShare = processes > 1 && slots.held >= Math.ceil(slots.most / processes) && free < processes;
  const granted = hasShare ? 0 : Math.min(slots.wanted, free);
  if (slots.held + granted > 0) leases[process] = [slots.held + granted, nowMs + SLOT_LEASE_MS];
  return { leases, granted };
}

const isDue = (untilMs: number, leaseMs: number, nowMs: number): boolean =>
  untilMs > nowMs && untilMs <= nowMs + leaseMs;

/** The bin of a process. */
export function binOf(process: string): number {
  let sum = 0;
  for (const letter of process) sum = (31 * sum + (letter.codePointAt(0) ?? 0)) % 65_521;
  return sum % BINS;
}

/** How many processes fill so many bins on average. */
export function processesIn(bins: number): number {
  return bins >= BINS ? 4 * BINS : Math.round(-BINS * Math.log(1 - bins / BINS));
}

/** @throws TypeError for an answer that is impossible */
export function expectTurns(answer: StoreTurns, request: StoreRequest): StoreTurns {
  const { atMs, slots, processes, nowMs } = answer ?? {};
  const areMoments = Array.isArray(atMs) && atMs.length <= request.turns && atMs.every((at) => at >= nowMs - 1);
  const isSlots = slots >= 0 && slots <= (request.slots?.wanted ?? 0);
  if (areMoments && atMs.every(Number.isFinite) && isSlots && processes >= 0 && nowMs >= 0) return answer;
  throw new TypeError('Expected the store to answer with turns, slots, processes and its time.');
}

/** A store has one atomic operation. It may throw or reject; then the gate continues without it. */
export interface Store {
  exchange(key: string, report: StoreReport): StoreShare | Promise<StoreShare>;
  /** Only for `limits`: reserves turns for the calls of a process. */
  reserve?(key: string, request: StoreRequest): StoreTurns | Promise<StoreTurns>;
}

export const EMPTY: StoreState = /* @__PURE__ */ Object.freeze({ parts: {}, probe: null });

/** Adds a report, and returns the share of its process. */
export function exchange(
  state: StoreState,
  report: StoreReport,
  nowMs: number,
): { readonly state: StoreState; readonly share: StoreShare } {
  const { process, delivered, wanted, wantsProbe, sentAtMs, counted } = report;
  const parts: Record<string, readonly [number, number]> = {};
  const last = Math.floor((nowMs + LEASE_MS) / PART_MS);
  for (const [part, sums] of Object.entries(state.parts)) {
    // A later part is from a clock that was set back since.
    if (Number(part) * PART_MS > nowMs && Number(part) <= last) parts[part] = sums;
  }
  // The report waited in a client while the store was away, so it is out of date.
  const isStale = sentAtMs !== null && nowMs - sentAtMs > LEASE_MS;
  const before = counted && parts[counted.part];
  if (counted && before)
    parts[counted.part] = [Math.max(0, before[0] - counted.delivered), Math.max(0, before[1] - counted.wanted)];
  const own = isStale ? [0, 0] : [delivered, wanted];
  const [ownDelivered = 0, ownWanted = 0] = own;
  if (!isStale) {
    const [sum, wantedSum] = parts[last] ?? [0, 0];
    parts[last] = [sum + delivered, wantedSum + wanted];
  }
  let deliveredToAll = 0;
  let wantedByAll = 0;
  for (const [sum, wantedSum] of Object.values(parts)) {
    deliveredToAll += sum;
    wantedByAll += wantedSum;
  }
  const deliveredToOthers = deliveredToAll - ownDelivered;
  let { probe } = state;
  const isProbing = probe !== null && probe.untilMs > nowMs && probe.untilMs <= nowMs + PROBE_LEASE_MS;
  if (probe !== null && (!isProbing || (probe.process === process && !wantsProbe))) probe = null;
  const mayProbe = wantsProbe && !isStale && deliveredToOthers === 0 && (probe === null || probe.process === process);
  if (mayProbe) probe = { process, untilMs: nowMs + PROBE_LEASE_MS };
  const share = wantedByAll === 0 ? 0 : Math.floor((deliveredToAll * ownWanted) / wantedByAll);
  return {
    state: { parts, probe },
    share: { share, deliveredToOthers, mayProbe, nowMs, ...(!isStale && { part: last }) },
  };
}

/** Refuses what no store may answer, because a limit would keep it. @throws TypeError */
export function expectShare(answer: StoreShare): StoreShare {
  const { share, deliveredToOthers, nowMs } = answer ?? {};
  const areRates = [share, deliveredToOthers].every((rate) => rate >= 0 && rate <= MOST);
  if (areRates && Number.isFinite(nowMs) && nowMs >= 0) return answer;
  throw new TypeError(
    'Expected the store to answer with three numbers that are not negative: share, deliveredToOthers and nowMs.',
  );
}

/** A store for the gates of one program. `now`: @default the monotonic clock */
export function memoryStore(now: () => number = systemRuntime.monotonic): Store {
  const states = new Map<string, StoreState>();
  const stated = new Map<string, StatedState>();
  return {
    reserve(key, request) {
      const { state, turns } = reserve(stated.get(key) ?? NOTHING_STATED, request, now());
      stated.set(key, state);
      return turns;
    },
    exchange(key, report) {
      const { state, share } = exchange(states.get(key) ?? EMPTY, report, now());
      states.set(key, state);
      return share;
    },
  };
}
