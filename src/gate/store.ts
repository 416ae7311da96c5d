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

/** A store has one atomic operation. It may throw or reject; then the gate continues without it. */
export interface Store {
  exchange(key: string, report: StoreReport): StoreShare | Promise<StoreShare>;
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
  return {
    exchange(key, report) {
      const { state, share } = exchange(states.get(key) ?? EMPTY, report, now());
      states.set(key, state);
      return share;
    },
  };
}
