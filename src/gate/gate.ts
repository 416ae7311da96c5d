/**
 * The gate: what many callers of one limit have in common. Every call gets a pass of it, asks the pass before each
 * attempt and tells it what each attempt ended in; cooldown, retry budget and circuit breaker answer from what all of
 * them have seen. It knows no timer and sends nothing: whoever is told to wait waits, and asks again.
 */

import { notify } from '../events/events.ts';
import type { CircuitPhase, GateEvent, GateRefusal } from '../events/gate-event.ts';
import type { Failure } from '../failure/failure.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';
import { type MemoryStore, memoryStore } from './memory-store.ts';
import type { Standing } from './store.ts';
import { type GateOptions, type GateSettings, resolveGateOptions } from './gate-options.ts';
import { CallPass } from './call-pass.ts';
import { createKeyOf, type GateTarget } from './key.ts';
import { type GateRules, nothing } from './key-state.ts';
import { SharedStore } from './shared-store.ts';

/** The clock and the dice of the call. */
export type GateClock = Pick<Runtime, 'now' | 'random'>;

/**
 * `go`: send it now. Otherwise wait and ask again, or, when `refused` says why, do not send it. `waitMs` of a refusal:
 * when it may be otherwise; 0: nobody knows.
 */
export type GateAnswer =
  | { readonly go: true }
  | { readonly go: false; readonly waitMs: number; readonly refused: null }
  | { readonly go: false; readonly waitMs: number; readonly refused: GateRefusal };

/** One call's part in the gate. Made before its first attempt; asked and told in the order of the call. */
export interface Pass {
  /** Whose limit it is. Shows no credential. */
  readonly key: string;
  /** Before each attempt, and again after each wait that it asked for. At once whenever all is well. */
  admit(): GateAnswer | Promise<GateAnswer>;
  /** After each attempt. `cancelled`: the caller took it back; it says nothing of the server. Never throws. */
  settled(outcome: 'success' | 'cancelled' | Failure): void;
  /**
   * After `settled`, when the failure is to be retried in `delayMs`: takes the token out of the budget, and a place in
   * the line if there is one. `go`: as planned. A wait: not before, if that is longer than `delayMs`.
   */
  permitRetry(failure: Failure, delayMs: number): GateAnswer | Promise<GateAnswer>;
  /** The call has ended, or no longer waits. May be called at any time and more than once. */
  leave(): void;
}

/** How a key stands. */
export interface GateReading {
  readonly key: string;
  /** Calls of this process in line. */
  readonly waiting: number;
  /** For so long nobody sends. */
  readonly cooldownMs: number;
  /** What is in the retry budget; null: there is none. */
  readonly tokens: number | null;
  readonly circuit: CircuitPhase;
}

/** Shared by all calls that are made with it. */
export interface Gate {
  /** A pass for one call. */
  pass(target: GateTarget, clock: GateClock): Pass;
  /** The key of a request: its origin, and a hash in place of its credential. */
  keyOf(target: GateTarget): string;
  /** Calls of this process in line, over all keys. */
  readonly waiting: number;
  /** How every known key stands, as last heard. For people and metrics. `nowMs`: @default the clock of the machine */
  readings(nowMs?: number): readonly GateReading[];
}

/** The pace at which a fleet first uses a key: a fleet that starts is a crowd that knows nothing yet. */
const FLEET_START_INTERVAL_MS = 10;
/** Closer than this, two ends of a cooldown are the same one, heard over a network. */
const SAME_COOLDOWN_MS = 50;

/** Makes a gate. Give the same one to all that share a limit. @throws TypeError naming the option */
export function createGate(options: GateOptions = {}): Gate {
  return new KeyedGate(resolveGateOptions(options), createKeyOf(options.key));
}

/** What the passes of a gate work on. */
export class KeyedGate implements Gate {
  readonly settings: GateSettings;
  readonly local: MemoryStore = memoryStore();
  /** null: this process has nobody to share with. */
  readonly shared: SharedStore | null;
  readonly keyOf: (target: GateTarget) => string;
  readonly #waiting = new Map<string, number>();
  readonly #phases = new Map<string, CircuitPhase>();

  constructor(settings: GateSettings, keyOf: (target: GateTarget) => string) {
    this.settings = settings;
    this.keyOf = keyOf;
    const { store, rules, storeTimeoutMs } = settings;
    this.shared = store && new SharedStore(store, sharedRules(rules), storeTimeoutMs, this);
  }

  pass(target: GateTarget, clock: GateClock): Pass {
    return new CallPass(this, this.keyOf(target), clock);
  }

  get waiting(): number {
    let sum = 0;
    for (const count of this.#waiting.values()) sum += count;
    return sum;
  }

  waitingFor(key: string): number {
    return this.#waiting.get(key) ?? 0;
  }

  readings(nowMs: number = systemRuntime.now()): readonly GateReading[] {
    return Array.from(this.local.keys(), (key) => {
      const state = this.local.read(key);
      const standing = this.shared?.standing(key);
      return {
        key,
        waiting: this.waitingFor(key),
        cooldownMs: this.cooldownMs(key, nowMs),
        tokens: this.settings.rules.budget === null ? null : (standing?.tokens ?? state?.tokens ?? null),
        circuit: standing?.circuit ?? state?.circuit?.phase ?? 'closed',
      };
    });
  }

  /** One call more or less in line. */
  count(key: string, change: 1 | -1): number {
    const waiting = this.waitingFor(key) + change;
    if (waiting > 0) this.#waiting.set(key, waiting);
    else this.#waiting.delete(key);
    return waiting;
  }

  emit(event: GateEvent): void {
    notify(this.settings.onEvent, event);
  }

  /** How long this process knows that nobody sends. */
  cooldownMs(key: string, nowMs: number): number {
    return Math.max(0, (this.local.read(key)?.cooldown?.untilMs ?? 0) - nowMs);
  }

  /** How this process sees the circuit of a key. */
  noteCircuit(key: string, nowMs: number): void {
    if (this.settings.rules.circuit !== null)
      this.#notePhase(key, this.local.read(key)?.circuit?.phase ?? 'closed', nowMs);
  }

  /** Others were told to wait: this process knows it too, should the store be lost. */
  learned(key: string, { cooldownMs, circuit }: Standing, nowMs: number): void {
    this.#notePhase(key, circuit, nowMs);
    if (cooldownMs <= this.cooldownMs(key, nowMs) + SAME_COOLDOWN_MS) return;
    this.local.record(key, { ...nothing, hintMs: cooldownMs }, this.settings.rules, nowMs);
  }

  orphaned(key: string, nowMs: number): void {
    this.local.keepPace(key, this.settings.rules, nowMs);
  }

  unreachable(reason: 'timeout' | 'error', message: string, nowMs: number): void {
    this.emit({ type: 'store-unreachable', reason, message, at: nowMs });
  }

  reachable(afterMs: number, nowMs: number): void {
    this.emit({ type: 'store-reachable', afterMs, at: nowMs });
  }

  #notePhase(key: string, phase: CircuitPhase, nowMs: number): void {
    if (phase === (this.#phases.get(key) ?? 'closed')) return;
    if (phase === 'closed') this.#phases.delete(key);
    else this.#phases.set(key, phase);
    this.emit({ type: 'circuit', key, phase, at: nowMs });
  }
}

function sharedRules(rules: GateRules): GateRules {
  return { ...rules, cooldown: rules.cooldown && { ...rules.cooldown, startIntervalMs: FLEET_START_INTERVAL_MS } };
}
