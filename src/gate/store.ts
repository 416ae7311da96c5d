/**
 * What the processes of a fleet share of a limit: who is delivered how much, who wants how much, and who looks whether a
 * server that lets nothing through is back. Each process reports that while it is in trouble, and not otherwise, and gets
 * a share of the pace for a short time, a lease. What is not renewed runs out: a process that died, a store that came back
 * and a report that was late leave nothing behind.
 *
 * This is the rule itself, for processes that are parts of one program and for tests; `redis.ts` says the same in
 * Lua. All amounts are whole numbers, so that both count alike.
 */

import { systemRuntime } from '../runtime.ts';

/** For so long a report counts, and a share may be used. */
export const LEASE_MS = 2_000;
/** For so long a process may look whether the server is back. */
export const PROBE_LEASE_MS = 10_000;

/** What a process says. */
export interface StoreReport {
  /** Its name: another for each gate. */
  readonly process: string;
  /** Successes per 1000 seconds. */
  readonly delivered: number;
  /** Attempts that it would send per 1000 seconds. */
  readonly wanted: number;
  /** It would send a probe now. */
  readonly wantsProbe: boolean;
  /** When it said so, by the store's clock; null: it does not know that clock yet. */
  readonly sentAtMs: number | null;
}

/** What it gets. */
export interface StoreShare {
  /** Its share of what all of them are delivered, per 1000 seconds. */
  readonly share: number;
  /** What the others are delivered, per 1000 seconds. */
  readonly deliveredToOthers: number;
  readonly mayProbe: boolean;
  /** The store's clock. */
  readonly nowMs: number;
}

/** One limit, as a store keeps it. */
export interface StoreState {
  readonly members: Readonly<Record<string, StoreMember>>;
  readonly probe: { readonly process: string; readonly untilMs: number } | null;
}

interface StoreMember {
  readonly delivered: number;
  readonly wanted: number;
  readonly untilMs: number;
}

/** A store: one operation, which is atomic. It may throw or reject: the gate then goes on without it. */
export interface Store {
  exchange(key: string, report: StoreReport): StoreShare | Promise<StoreShare>;
}

export const EMPTY: StoreState = /* @__PURE__ */ Object.freeze({ members: {}, probe: null });

/** Takes a report in, and gives the share of its process. */
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
  // It waited in a client while the store was away: what it says is over.
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

/** Not over, and not of a clock that was set back since. */
function isCurrent({ untilMs }: { readonly untilMs: number }, leaseMs: number, nowMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + leaseMs;
}

/** A store for gates of one program. `now`: @default the monotonic clock */
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
