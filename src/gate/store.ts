/**
 * The state that the processes of a fleet share about a limit. Each operation counts a process, and its successes and
 * attempts if the limit was learned; it lets one process probe a server that lets nothing through; and it reserves turns
 * and leases concurrency slots of a limit that the user has stated. What is not renewed ends, so a process that died, a
 * store that came back and a late request leave nothing behind.
 *
 * Only sums are kept of the reports, by the part of time in which they end, so an operation costs the same for ten
 * processes and for thousands. A process says with each report which one is still counted of it.
 *
 * This is the rule itself, for processes that are parts of one program and for tests; `redis.ts` has the same rule in
 * Lua.
 */

import type { opaque } from '../runtime/opaque.ts';
import { systemRuntime } from '../runtime/runtime.ts';
import { get } from '../runtime/values.ts';

/** How long a report counts, and a share may be used. */
export const LEASE_MS = 2_000;
/** Reports that end within so long are counted together. */
export const PART_MS = 250;
/** No sum is higher; a larger number in a store is not one of ours. */
export const MOST = 1e12;
/** How long a process may probe the server. */
export const PROBE_LEASE_MS = 10_000;
/** How long a process may hold concurrency slots, or wait for some, without asking again. */
export const SLOT_LEASE_MS = 6_000;
export const DAY_MS = 86_400_000;
export const DAY_PART_MS = 300_000;
/** So many processes that wait for slots are known; later ones are let in when those have theirs. */
export const MOST_WAITING = 16;

/** What is summed over the processes: each counts as 1, with its successes and the attempts it wants, per 1000 seconds. */
export type Counts = readonly [processes: number, delivered: number, wanted: number];

/** What a process asks of a store. */
export interface StoreRequest {
  /** Its name, different for each gate. */
  readonly process: string;
  readonly counts: Counts;
  /** What the store has counted of this process last. */
  readonly counted?: { readonly part: number; readonly counts: Counts } | undefined;
  /** Whether it wants to send a probe now. */
  readonly wantsProbe: boolean;
  /** How many turns it wants to reserve. */
  readonly turns: number;
  /** How long the answer is on its way: no turn is earlier. */
  readonly wayMs: number;
  /** The distance that the turns of others keep in addition, because their clocks are not known exactly. */
  readonly apartMs: number;
  /** The time that a turn takes, and by how much it may come earlier than it is due: what may be sent at once. */
  readonly rates: readonly (readonly [turnMs: number, slackMs: number])[];
  /** The turns of any 24 hours. @default any number */
  readonly perDay?: number | undefined;
  /** Absent: there is no limit on requests at a time. */
  readonly slots?: SlotRequest | undefined;
}

/** What a process asks of the concurrency slots. */
export interface SlotRequest {
  /** The slots of all processes. */
  readonly most: number;
  /** Those that this process has. */
  readonly held: number;
  /** How many more it wants, and for how long it has waited for one. */
  readonly wanted: number;
  readonly waitedMs: number;
}

/** The answer. */
export interface StoreAnswer {
  /** The store's clock. */
  readonly nowMs: number;
  /** The number of the part of time in which the report ends. */
  readonly part: number;
  /** The sums over all processes that asked recently, this one included. */
  readonly total: Counts;
  readonly mayProbe: boolean;
  /** The slots that were granted in addition to those that it holds. */
  readonly slots: number;
  /** How many processes get a slot before it. */
  readonly before: number;
  /** How many of its slots it has to give back when it has used them for a while, because others have fewer. */
  readonly owed: number;
  /** When each reserved turn is, by the store's clock. */
  readonly atMs: readonly number[];
}

/** What was counted in a part of time, by the number of the part in which it ends. */
type Parts = Readonly<Record<string, readonly number[]>>;

/** A process that holds slots or wants more: a free one is for the process with the fewest, then for the first of these. */
type Party = readonly [held: number, wanted: number, sinceMs: number, untilMs: number];

/** What a store keeps of a limit. */
export interface StoreState {
  readonly counts: Parts;
  readonly probe?: readonly [process: string, untilMs: number] | undefined;
  /** When the next unit of each rate is due. */
  readonly next: readonly number[];
  /** The turns of a day. */
  readonly day: Parts;
  readonly parties: Readonly<Record<string, Party>>;
}

export const EMPTY: StoreState = /* @__PURE__ */ Object.freeze({ counts: {}, next: [], day: {}, parties: {} });

/** The rule in TypeScript; `redis.ts` has it in Lua. */
export function answer(
  state: StoreState,
  request: StoreRequest,
  nowMs: number,
): { readonly state: StoreState; readonly answer: StoreAnswer } {
  const { process, counted, wantsProbe } = request;
  const [counts, part] = presentOf(state.counts, PART_MS, LEASE_MS, nowMs);
  if (counted !== undefined && counted.part in counts) add(counts, counted.part, counted.counts, -1);
  add(counts, part, request.counts);
  const [processes = 0, delivered = 0, wanted = 0] = sumOf(counts);
  const isWanted = wantsProbe || state.probe?.[0] !== process;
  let probe = isWanted && isDue(state.probe?.[1] ?? 0, PROBE_LEASE_MS, nowMs) ? state.probe : undefined;
  const mayProbe = wantsProbe && delivered === request.counts[1] && (probe === undefined || probe[0] === process);
  if (mayProbe) probe = [process, nowMs + PROBE_LEASE_MS];
  const { next, day, atMs } = reserveTurns(state, request, nowMs);
  const { parties, ...slots } = leaseSlots(state.parties, request, nowMs);
  return {
    state: { counts, probe, next, day, parties },
    answer: { nowMs, part, total: [processes, delivered, wanted], mayProbe, ...slots, atMs },
  };
}

/** Those that are not over, and the number of the last one. A later one is from a clock that was set back since. */
function presentOf(
  parts: Parts,
  partMs: number,
  lastsMs: number,
  nowMs: number,
): [present: Record<string, readonly number[]>, last: number] {
  const last = Math.floor((nowMs + lastsMs) / partMs);
  const isPresent = (part: number): boolean => part * partMs > nowMs && part <= last;
  return [Object.fromEntries(Object.entries(parts).filter(([part]) => isPresent(Number(part)))), last];
}

function add(parts: Record<string, readonly number[]>, part: number, counts: readonly number[], times = 1): void {
  const before = parts[part] ?? [];
  parts[part] = counts.map((count, index) => Math.max(0, (before[index] ?? 0) + times * count));
}

function sumOf(parts: Parts): readonly number[] {
  const sums: number[] = [];
  for (const counts of Object.values(parts))
    for (const [index, count] of counts.entries()) sums[index] = (sums[index] ?? 0) + count;
  return sums;
}

const isDue = (untilMs: number, leaseMs: number, nowMs: number): boolean =>
  untilMs > nowMs && untilMs <= nowMs + leaseMs;

/** Gives each turn the first moment that every rate and the day allow. */
function reserveTurns(
  state: StoreState,
  { turns, wayMs, apartMs, rates, perDay = Infinity }: StoreRequest,
  nowMs: number,
): Pick<StoreState, 'next' | 'day'> & Pick<StoreAnswer, 'atMs'> {
  const next = rates.map(([turnMs], index) => {
    const due = state.next[index] ?? 0;
    // No queue is that long: it is from a clock that was set back since, or not ours.
    return due > nowMs + 60_000 + 1_000 * turnMs ? 0 : due;
  });
  const [day, part] = presentOf(state.day, DAY_PART_MS, DAY_MS + DAY_PART_MS, nowMs);
  const [today = 0] = sumOf(day);
  const atMs: number[] = [];
  while (atMs.length < Math.min(turns, perDay - today)) {
    let at = nowMs + wayMs;
    for (const [index, [, slackMs]] of rates.entries()) at = Math.max(at, (next[index] ?? 0) - slackMs);
    for (const [index, [turnMs]] of rates.entries()) next[index] = Math.max(next[index] ?? 0, at) + turnMs;
    atMs.push(at);
  }
  if (perDay < Infinity) add(day, part, [atMs.length]);
  return { next: atMs.length === 0 ? next : next.map((due) => due + apartMs), day, atMs };
}

/**
 * Renews the concurrency slots of the process, and grants it more: one if none is kept for a process with fewer, or as
 * many that has waited for longer; up to its share; or more if all others get what they want. What exceeds its share it
 * owes. So no process waits while another one uses a slot again and again.
 */
function leaseSlots(
  known: StoreState['parties'],
  { process, slots: request }: StoreRequest,
  nowMs: number,
): Pick<StoreState, 'parties'> & Pick<StoreAnswer, 'slots' | 'before' | 'owed'> {
  if (request === undefined) return { parties: {}, slots: 0, before: 0, owed: 0 };
  const { most, held, wanted, waitedMs } = request;
  const parties: Record<string, Party> = {};
  for (const [name, party] of Object.entries(known))
    if (name !== process && isDue(party[3], SLOT_LEASE_MS, nowMs)) parties[name] = party;
  const others = Object.values(parties);
  const rivals = others.filter(([, more]) => more > 0);
  const sinceMs = nowMs - waitedMs;
  const before = rivals.filter(([has, , firstMs]) => has < held || (has === held && firstMs < sinceMs)).length;
  const share = Math.floor(most / (1 + others.length));
  const free = others.reduce((rest, [has]) => rest - has, most - held);
  const left = rivals.reduce((rest, [, more]) => rest - more, free);
  const slots = Math.max(0, Math.min(wanted, free - before, Math.max(1, share - held, left)));
  const holds = held + slots;
  const owed = rivals.length === 0 ? 0 : Math.max(0, holds - share);
  if (holds > 0 || (wanted > 0 && before < MOST_WAITING))
    parties[process] = [holds, wanted - slots, slots > 0 ? nowMs : sinceMs, nowMs + SLOT_LEASE_MS];
  return { parties, slots, before, owed };
}

/** The last time of a `Date`. Far beyond it a millisecond more is no later time, and no wait would end. */
const LAST_MOMENT_MS = 8.64e15;

/** Refuses what no store may answer, because a limit would keep it. @throws TypeError */
export function expectAnswer(given: StoreAnswer, { counts, turns, perDay, slots: asked }: StoreRequest): StoreAnswer {
  const { nowMs, part, total, slots, before, owed, atMs } = given ?? {};
  // A process that gets no turn asks again at once; only a day that is used up has none.
  const leastTurns = perDay === undefined ? Math.min(1, turns) : 0;
  const areTurns = atMs?.length >= leastTurns && atMs.length <= turns && atMs.every((at) => at >= nowMs - 1);
  const areSums = counts.every((count, index) => (total?.[index] ?? -1) >= count && (total[index] ?? 0) <= MOST);
  const arePossible = [nowMs, part, slots, before, owed, ...(atMs ?? [])].every(
    (each) => each >= 0 && each <= LAST_MOMENT_MS,
  );
  if (areTurns && areSums && arePossible && slots <= (asked?.wanted ?? 0)) return given;
  throw new TypeError('Expected the store to answer with its time, sums, slots and turns: is its port an `eval`?');
}

/** How long a store may take to answer. */
export const STORE_TIMEOUT_MS = 50;

/** What a gate asks a store. It may throw or reject; then the gate continues without it. */
export interface OpenStore {
  /** If an answer takes longer, the store counts as lost; no call waits for it. */
  readonly timeoutMs: number;
  /** Atomic. */
  ask(key: string, request: StoreRequest): StoreAnswer | Promise<StoreAnswer>;
}

export function openMemoryStore(now: () => number = systemRuntime.monotonic): OpenStore {
  const states = new Map<string, StoreState>();
  return {
    timeoutMs: STORE_TIMEOUT_MS,
    ask(key, request) {
      const { state, answer: given } = answer(states.get(key) ?? EMPTY, request, now());
      states.set(key, state);
      return given;
    },
  };
}

/** Made by `retry-transport/redis`. What it does inside is not part of the contract. */
export interface Store {
  readonly [opaque]: 'store';
}

const OPENED: unique symbol = /* @__PURE__ */ Symbol.for('retry-transport: a store');

/** Hides the way in from users. */
export function sealStore(store: OpenStore): Store {
  return Object.freeze(Object.defineProperty({}, OPENED, { value: store })) as Store;
}

/** Whether this library made it. */
export function isStore(store: unknown): store is Store {
  return get(store, OPENED) !== undefined;
}

export const openStore = (store: Store): OpenStore => (store as unknown as { readonly [OPENED]: OpenStore })[OPENED];
