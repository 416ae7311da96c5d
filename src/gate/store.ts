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
/** The turns of a process are followed by those of others after this share of their time more, at most. */
export const MOST_APART = 0.04;
const DAY_PART_MS = 300_000;
const DAY_PARTS = 288;
/** So many processes that wait for slots are known; later ones are let in when those have theirs. */
export const MOST_WAITING = 16;
/** Processes are counted by this number of bins, so that many cost no more than a few. */
export const BINS = 64;
const NOT_ASKED: string = /* @__PURE__ */ '0'.repeat(BINS);

/** What a process asks of a limit that the user has stated. */
export interface StoreRequest {
  readonly process: string;
  /** How many turns it wants to reserve. */
  readonly turns: number;
  /** How long the answer is on its way: no turn is earlier. */
  readonly wayMs: number;
  /** The distance that the turns of others keep in addition, because their clocks are not known exactly. */
  readonly apartMs: number;
  /** The milliseconds that a unit takes, the units that may be sent at once, and the units of each turn. */
  readonly rates: readonly (readonly [unitMs: number, burst: number, amount: number])[];
  /** The turns of any 24 hours; null: any number. */
  readonly perDay: number | null;
  /** null: there is no limit on requests at a time. */
  readonly slots: SlotRequest | null;
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
export interface StoreTurns {
  /** When each reserved turn is, by the store's clock. */
  readonly atMs: readonly number[];
  /** The slots that were granted in addition to those that it holds. */
  readonly slots: number;
  /** How many processes get a slot before it. @default 0 */
  readonly before?: number | undefined;
  /**
   * How many of its slots it has to give back when it has used them for a while, because others have fewer.
   * @default 0
   */
  readonly owed?: number | undefined;
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
  /** The processes that want more slots, in the order in which they get one. */
  readonly waiting: readonly Waiting[];
  /** For each bin of processes whether one of them asked in the present lease time (2), only in that before (1), or not (0). */
  readonly asked: string;
  /** The number of the present lease time. */
  readonly leaseTime: number;
}

/** A process that wants more slots. */
type Waiting = readonly [process: string, held: number, wanted: number, sinceMs: number, untilMs: number];

export const NOTHING_STATED: StatedState = /* @__PURE__ */ Object.freeze({
  next: [],
  day: {},
  slots: {},
  waiting: [],
  asked: NOT_ASKED,
  leaseTime: 0,
});

/** Reserves turns and slots. The rule in TypeScript; `redis.ts` has it in Lua. */
export function reserve(
  state: StatedState,
  request: StoreRequest,
  nowMs: number,
): { readonly state: StatedState; readonly turns: StoreTurns } {
  const { next, day, atMs } = reserveTurns(state, request, nowMs);
  const leaseTime = Math.floor(nowMs / LEASE_MS);
  const asked = reportIn(state, request.process, leaseTime);
  const processes = processesIn(asked.replaceAll('0', '').length);
  const { slots, waiting, granted } = leaseSlots(state, request, nowMs);
  return { state: { next, day, slots, waiting, asked, leaseTime }, turns: { atMs, ...granted, processes, nowMs } };
}

/** Gives each turn the first moment that every rate and the day allow. */
function reserveTurns(
  state: StatedState,
  { turns, wayMs, apartMs, rates, perDay }: StoreRequest,
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
    let at = nowMs + wayMs;
    for (const [index, [unitMs, burst]] of rates.entries())
      at = Math.max(at, (next[index] ?? 0) - (burst - 1) * unitMs);
    for (const [index, [unitMs, , amount]] of rates.entries())
      next[index] = Math.max(next[index] ?? 0, at) + amount * unitMs;
    if (perDay !== null) day[present] = (day[present] ?? 0) + 1;
    today += 1;
    atMs.push(at);
  }
  const [firstMs] = atMs;
  if (firstMs === undefined) return { next, day, atMs };
  return { next: next.map((due) => due + Math.min(apartMs, MOST_APART * Math.max(0, due - firstMs))), day, atMs };
}

/** Counts the process that asks with those that asked recently. */
function reportIn(known: StatedState, process: string, leaseTime: number): string {
  const bin = binOf(process);
  const earlier = known.leaseTime === leaseTime - 1 ? known.asked.replaceAll('1', '0').replaceAll('2', '1') : NOT_ASKED;
  const asked = known.leaseTime === leaseTime ? known.asked : earlier;
  return `${asked.slice(0, bin)}2${asked.slice(bin + 1)}`;
}

/**
 * Renews the concurrency slots of the process, and grants it more. A free slot belongs to the process that has the fewest,
 * then to the one that has waited for longest, and is kept for it until it asks. So no process waits while another one
 * uses a slot again and again.
 */
function leaseSlots(
  known: Pick<StatedState, 'slots' | 'waiting'>,
  { process, slots: request }: StoreRequest,
  nowMs: number,
): Pick<StatedState, 'slots' | 'waiting'> & {
  readonly granted: Required<Pick<StoreTurns, 'slots' | 'before' | 'owed'>>;
} {
  if (request === null) return { slots: {}, waiting: [], granted: { slots: 0, before: 0, owed: 0 } };
  const { most, held, wanted, waitedMs } = request;
  const slots: Record<string, readonly [number, number]> = {};
  let others = 0;
  for (const [name, lease] of Object.entries(known.slots)) {
    if (name === process || !isDue(lease[1], SLOT_LEASE_MS, nowMs)) continue;
    slots[name] = lease;
    others += lease[0];
  }
  const rivals = known.waiting.filter(([name, , , , untilMs]) => name !== process && isDue(untilMs, LEASE_MS, nowMs));
  const sinceMs = nowMs - waitedMs;
  const free = Math.max(0, most - others - held);
  let granted = rivals.length === 0 ? Math.min(wanted, free) : 0;
  if (rivals.length > 0) {
    const atOnce = Math.min(wanted, MOST_TURNS);
    while (granted < atOnce && granted + keptFor(rivals, held + granted, sinceMs) < free) granted += 1;
  }
  const holds = held + granted;
  const parties = 1 + new Set([...Object.keys(slots), ...rivals.map(([name]) => name)]).size;
  const missing = rivals.reduce((sum, [, fewer, more]) => sum + (fewer < holds ? more : 0), granted - free);
  const owed = Math.max(0, Math.min(missing, holds - Math.floor(most / parties)));
  if (holds > 0) slots[process] = [holds, nowMs + SLOT_LEASE_MS];
  if (granted === wanted) return { slots, waiting: rivals, granted: { slots: granted, before: 0, owed } };
  const own: Waiting = [process, holds, wanted - granted, granted > 0 ? nowMs : sinceMs, nowMs + LEASE_MS];
  const waiting = [...rivals, own].sort(inOrder).slice(0, MOST_WAITING);
  const place = waiting.indexOf(own);
  return { slots, waiting, granted: { slots: granted, before: place < 0 ? MOST_WAITING : place, owed } };
}

/** How many slots others get before a process that has so many, and has waited since then. */
function keptFor(rivals: readonly Waiting[], held: number, sinceMs: number): number {
  let sum = 0;
  for (const [, fewer, wanted, waitsSinceMs] of rivals)
    sum += Math.min(wanted, Math.max(0, held - fewer + (waitsSinceMs < sinceMs ? 1 : 0)));
  return sum;
}

const inOrder = ([a, held, , sinceMs]: Waiting, [b, otherHeld, , otherSinceMs]: Waiting): number =>
  held - otherHeld || sinceMs - otherSinceMs || (a < b ? -1 : 1);

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

/** The last time of a `Date`. Far beyond it a millisecond more is no later time, and no wait would end. */
const LAST_MOMENT_MS = 8.64e15;

function isMoment(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0 && ms <= LAST_MOMENT_MS;
}

/** @throws TypeError for an answer that is impossible */
export function expectTurns(answer: StoreTurns, request: StoreRequest): StoreTurns {
  const { atMs, slots, before = 0, owed = 0, processes, nowMs } = answer ?? {};
  // A process that gets no turn asks again at once; only a day that is used up has none.
  const least = request.perDay === null ? Math.min(1, request.turns) : 0;
  const areTurns = Array.isArray(atMs) && atMs.length >= least && atMs.length <= request.turns;
  const areMoments = areTurns && atMs.every((at) => at >= nowMs - 1);
  const isSlots = slots >= 0 && slots <= (request.slots?.wanted ?? 0);
  if (areMoments && atMs.every(isMoment) && isSlots && before >= 0 && owed >= 0 && processes >= 0 && isMoment(nowMs))
    return answer;
  throw new TypeError('Expected the store to answer with turns, slots, before, owed, processes and its time.');
}

/** How long a store may take to answer. */
export const STORE_TIMEOUT_MS = 50;

/** What a gate asks a store. Each operation is atomic. It may throw or reject; then the gate continues without it. */
export interface OpenStore {
  /** If an answer takes longer, the store counts as lost; no call waits for it. */
  readonly timeoutMs: number;
  exchange(key: string, report: StoreReport): StoreShare | Promise<StoreShare>;
  /** For `limits`: reserves turns for the calls of a process. */
  reserve(key: string, request: StoreRequest): StoreTurns | Promise<StoreTurns>;
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
  if (areRates && isMoment(nowMs)) return answer;
  throw new TypeError(
    'Expected the store to answer with three numbers that are not negative: share, deliveredToOthers and nowMs.',
  );
}

export function openMemoryStore(now: () => number = systemRuntime.monotonic): OpenStore {
  const states = new Map<string, StoreState>();
  const stated = new Map<string, StatedState>();
  return {
    timeoutMs: STORE_TIMEOUT_MS,
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
