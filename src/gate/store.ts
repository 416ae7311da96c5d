/**
 * Where the callers of a key keep what they share: three operations, each of them atomic, so that two callers can never
 * both take the last token or the same place in the line. One process keeps it in memory; many share a Redis.
 */

import type { CircuitPhase } from '../events/gate-event.ts';
import type { Admission, GateRules, Report, Ruling, Withdrawal } from './key-state.ts';

export type MaybePromise<T> = T | Promise<T>;

/** What a store lets its callers know of a key with every answer, so that the next of them need not ask. */
export interface Standing {
  /** For so long an attempt has to ask first; 0: all is well. */
  readonly askForMs: number;
  /** For so long nobody sends. */
  readonly cooldownMs: number;
  /** The name of the line. In a line of another name, places that were given before mean nothing. */
  readonly line: number;
  readonly circuit: CircuitPhase;
  /** What is in the retry budget; null: not looked up. */
  readonly tokens: number | null;
}

/** A ruling, and how things stand. */
export interface StoreAnswer extends Ruling {
  readonly standing: Standing;
}

/**
 * A store. Each operation sees the state of a key that the one before it left, and nobody sees anything between. A key
 * that was never used, or not for a long time, begins anew.
 *
 * `nowMs` is the caller's clock. A store that is shared by several machines uses its own instead; every time that goes
 * in or comes out is therefore a duration. A store may throw or reject: the gate then goes on without it.
 */
export interface Store {
  /** An attempt asks to be sent. A place in a line of another name is as good as none. */
  admit(
    key: string,
    admission: Admission & { readonly line: number },
    rules: GateRules,
    nowMs: number,
  ): MaybePromise<StoreAnswer>;
  /** A retry asks for its token and its place. */
  permitRetry(key: string, withdrawal: Withdrawal, rules: GateRules, nowMs: number): MaybePromise<StoreAnswer>;
  /** Attempts have ended. */
  settle(key: string, report: Report, rules: GateRules, nowMs: number): MaybePromise<Standing>;
}
