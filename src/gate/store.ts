/**
 * The state that the processes of a fleet share about a limit: the successes of each process, the attempts that each
 * wants to send, and which process probes a server that lets nothing through. A process reports only while it is in
 * trouble, and gets a share of the pace for a short time, a lease. Leases that are not renewed end, so a process that
 * died, a store that came back and a late report leave nothing behind.
 *
 * This is the rule itself, for processes that are parts of one program and for tests; `redis.ts` has the same rule in
 * Lua. All amounts are whole numbers, so that both compute the same.
 */

import { systemRuntime } from '../runtime/runtime.ts';

/** How long a report counts, and a share may be used. */
export const LEASE_MS = 2_000;
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
}

/** The state of one limit in a store. */
export interface StoreState {
  readonly members: Readonly<Record<string, StoreMember>>;
  readonly probe: { readonly process: string; readonly untilMs: number } | null;
}

interface StoreMember {
  readonly delivered: number;
  readonly wanted: number;
  readonly untilMs: number;
}

/** A store has one atomic operation. It may throw or reject; then the gate continues without it. */
export interface Store {
  exchange(key: string, report: StoreReport): StoreShare | Promise<StoreShare>;
}

export const EMPTY: StoreState = /* @__PURE__ */ Object.freeze({ members: {}, probe: null });

/** Adds a report, and returns the share of its process. */
export function exchange(
  state: StoreState,
  report: StoreReport,
  nowMs: number,
): { readonly state: StoreState; readonly share: StoreShare } {
  const { process, delivered, wanted, wantsProbe, sentAtMs } = report;
  const members: Record<string, StoreMember> = {};
  for (const [name, member] of Object.entries(state.members)) {
    if (isCurrent(member, LEASE_MS, nowMs)) members[name] = member;
  }
  // The report waited in a client while the store was away, so it is out of date.
  const isStale = sentAtMs !== null && nowMs - sentAtMs > LEASE_MS;
  if (!isStale) members[process] = { delivered, wanted, untilMs: nowMs + LEASE_MS };
  let deliveredToAll = 0;
  let wantedByAll = 0;
  for (const member of Object.values(members)) {
    deliveredToAll += member.delivered;
    wantedByAll += member.wanted;
  }
  const own = members[process] ?? { delivered: 0, wanted: 0 };
  const deliveredToOthers = deliveredToAll - own.delivered;
  let { probe } = state;
  if (probe !== null && (!isCurrent(probe, PROBE_LEASE_MS, nowMs) || (probe.process === process && !wantsProbe)))
    probe = null;
  const mayProbe = wantsProbe && !isStale && deliveredToOthers === 0 && (probe === null || probe.process === process);
  if (mayProbe) probe = { process, untilMs: nowMs + PROBE_LEASE_MS };
  const share = wantedByAll === 0 ? 0 : Math.floor((deliveredToAll * own.wanted) / wantedByAll);
  return { state: { members, probe }, share: { share, deliveredToOthers, mayProbe, nowMs } };
}

/** Whether it has not ended, and is not from a clock that was set back since. */
function isCurrent({ untilMs }: { readonly untilMs: number }, leaseMs: number, nowMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + leaseMs;
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
