/**
 * The store of one process: a map. It forgets keys that nobody has used for a while, and the ones that were used longest
 * ago when there are too many, so that a program with a key per user does not grow without end.
 */

import { expectNumber } from '../failure/expect.ts';
import { keepPace } from './cooldown.ts';
import {
  admit,
  freshState,
  type GateRules,
  type KeyState,
  permitRetry,
  settle,
  type Ruling,
  unhealthyForMs,
} from './key-state.ts';
import type { Standing, Store, StoreAnswer } from './store.ts';

export interface MemoryStoreOptions {
  /** @default 1000 */
  readonly maxKeys?: number | undefined;
  /** Keys that were not used for so long are forgotten. @default 600000 */
  readonly expireAfterMs?: number | undefined;
}

/** A store that answers at once. */
export interface MemoryStore extends Store {
  admit(...args: Parameters<Store['admit']>): StoreAnswer;
  permitRetry(...args: Parameters<Store['permitRetry']>): StoreAnswer;
  settle(...args: Parameters<Store['settle']>): Standing;
  /** `settle`, for those who have no use for the answer. */
  record(...args: Parameters<Store['settle']>): void;
  /** Those who shared a line elsewhere go on here at the pace that they had. */
  keepPace(key: string, rules: GateRules, nowMs: number): void;
  /** The state of a key, if it is known. */
  read(key: string): KeyState | undefined;
  /** The keys that are known. */
  keys(): Iterable<string>;
}

interface Entry {
  readonly line: number;
  state: KeyState;
  usedAtMs: number;
}

/** Keeps everything in this process. @throws TypeError naming the option */
export function memoryStore({ maxKeys = 1_000, expireAfterMs = 600_000 }: MemoryStoreOptions = {}): MemoryStore {
  expectNumber('maxKeys', maxKeys, { min: 1, integer: true, allowInfinity: true });
  expectNumber('expireAfterMs', expireAfterMs, { min: 0, allowInfinity: true });
  const entries = new Map<string, Entry>();
  let lines = 0;

  // A hint is remembered for as long as it says, however quiet it is.
  const expired = ({ usedAtMs, state }: Entry, nowMs: number): boolean =>
    nowMs - usedAtMs > expireAfterMs && nowMs >= (state.cooldown?.untilMs ?? 0);

  const use = (key: string, rules: GateRules, nowMs: number): Entry => {
    const known = entries.get(key);
    if (known !== undefined && !expired(known, nowMs)) {
      known.usedAtMs = nowMs;
      return known;
    }
    entries.delete(key);
    if (entries.size >= maxKeys) makeRoom(entries, (entry) => expired(entry, nowMs));
    const entry: Entry = { line: ++lines, state: freshState(rules, nowMs), usedAtMs: nowMs };
    entries.set(key, entry);
    return entry;
  };

  const record = (...[key, report, rules, nowMs]: Parameters<Store['settle']>): Entry => {
    const entry = use(key, rules, nowMs);
    entry.state = settle(entry.state, report, rules, nowMs);
    return entry;
  };

  return {
    admit(key, admission, rules, nowMs) {
      const entry = use(key, rules, nowMs);
      const place = admission.line === entry.line ? admission.place : null;
      const { state, answer } = admit(entry.state, { place, retry: admission.retry }, rules, nowMs);
      entry.state = state;
      return withStanding(answer, entry, rules, nowMs);
    },
    permitRetry(key, withdrawal, rules, nowMs) {
      const entry = use(key, rules, nowMs);
      const { state, answer } = permitRetry(entry.state, withdrawal, rules, nowMs);
      entry.state = state;
      return withStanding(answer, entry, rules, nowMs);
    },
    settle: (key, report, rules, nowMs) => standingOf(record(key, report, rules, nowMs), rules, nowMs),
    record,
    keepPace(key, rules, nowMs) {
      const entry = use(key, rules, nowMs);
      const { cooldown, meter } = entry.state;
      if (cooldown !== null) entry.state = { ...entry.state, cooldown: keepPace(cooldown, meter, nowMs) };
    },
    read: (key) => entries.get(key)?.state,
    keys: () => entries.keys(),
  };
}

function withStanding(ruling: Ruling, entry: Entry, rules: GateRules, nowMs: number): StoreAnswer {
  return { ...ruling, standing: standingOf(entry, rules, nowMs) };
}

function standingOf({ state, line }: Entry, rules: GateRules, nowMs: number): Standing {
  return {
    askForMs: unhealthyForMs(state, rules, nowMs),
    cooldownMs: Math.max(0, (state.cooldown?.untilMs ?? 0) - nowMs),
    line,
    circuit: state.circuit?.phase ?? 'closed',
    tokens: state.tokens,
  };
}

/** Drops what has expired; when nothing has, what was used longest ago. */
function makeRoom(entries: Map<string, Entry>, expired: (entry: Entry) => boolean): void {
  const before = entries.size;
  let oldest: { readonly key: string; readonly usedAtMs: number } | undefined;
  for (const [key, entry] of entries) {
    if (expired(entry)) entries.delete(key);
    else if (oldest === undefined || entry.usedAtMs < oldest.usedAtMs) oldest = { key, usedAtMs: entry.usedAtMs };
  }
  if (entries.size === before && oldest !== undefined) entries.delete(oldest.key);
}
