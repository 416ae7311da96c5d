/** The limits of a gate by key. A key is kept as long as it has state. */

import { notify } from '../events/events.ts';
import type { GateEvent } from './gate-event.ts';
import { Circuit } from './circuit-breaker.ts';
import type { GateReading } from './gate.ts';
import type { GateSettings } from './gate-options.ts';
import { Limit } from './limit.ts';
import { SharedLimits } from './shared-limits.ts';
import { asyncContext, type AsyncContext } from '../runtime/async-context.ts';
import type { ConcurrencySlot } from './concurrency-slot.ts';
import { StatedLimit } from './stated-limit.ts';
import { Traffic } from './traffic.ts';
import { openStore } from './store.ts';

/** The state that the calls of one key share in this process. */
export interface KeyState {
  readonly key: string;
  /** null: there is no recent refusal or announcement. This holds for most keys, and keeps them small. */
  limit: Limit | null;
  readonly traffic: Traffic;
  tokens: number;
  circuit: Circuit | null;
  /** The number of attempts in flight. */
  sending: number;
  /** The number of responses to skip before the next is searched for announced limits. */
  listenAfter: number;
}

/** How many keys are checked, and forgotten if possible, for each new key. */
const LOOKED_AT = 3;

export class KeyedLimits {
  readonly settings: GateSettings;
  /** null: no other process shares the limits. */
  readonly shared: SharedLimits | null;
  /** The calls within which others are made; undefined: they cannot be told, or no limit needs it. */
  readonly nesting: AsyncContext<ConcurrencySlot> | undefined;
  readonly #states = new Remembered<KeyState>((state, nowMs) => this.#isForgotten(state, nowMs));
  readonly #stated = new Remembered<StatedLimit>((limit, nowMs) => limit.isForgotten(nowMs));

  constructor(settings: GateSettings) {
    this.settings = settings;
    const { store } = settings;
    this.shared = store && new SharedLimits(openStore(store), (event) => this.emit(event));
    this.nesting = settings.limits?.concurrent === undefined ? undefined : asyncContext();
  }

  get(key: string, nowMs: number): KeyState {
    const { budget, circuit } = this.settings;
    return this.#states.get(key, nowMs, () => ({
      key,
      limit: null,
      traffic: new Traffic(nowMs),
      tokens: budget?.capacity ?? 0,
      circuit: circuit && new Circuit(circuit, (phase, at) => this.emit({ type: 'circuit', key, phase, at })),
      sending: 0,
      listenAfter: 0,
    }));
  }

  /** The limit that the user has stated for a key; null: none. */
  stated(key: string, now: () => number): StatedLimit | null {
    const { limits } = this.settings;
    if (limits === null) return null;
    return this.#stated.get(key, now(), () => new StatedLimit(limits, now, this.shared?.turnsOf(key)));
  }

  get waiting(): number {
    let sum = 0;
    for (const [, { waiting }] of this.#stated.all) sum += waiting;
    for (const [, { limit }] of this.#states.all) sum += limit?.queue.slots.length ?? 0;
    return sum;
  }

  readings(nowMs: number): readonly GateReading[] {
    for (const [key, { waiting }] of this.#stated.all) if (waiting > 0) this.get(key, nowMs);
    return Array.from(this.#states.all.values(), ({ key, limit, tokens, circuit }) => ({
      key,
      waiting: (limit?.queue.slots.length ?? 0) + (this.#stated.all.get(key)?.waiting ?? 0),
      cooldownMs: Math.max(nowMs, limit?.heldUntil(nowMs) ?? 0, limit?.announced.emptyUntilMs(nowMs, 0) ?? 0) - nowMs,
      tokens: this.settings.budget === null ? null : tokens,
      circuit: circuit?.phase ?? 'closed',
    }));
  }

  emit(event: GateEvent): void {
    notify(this.settings.onEvent, event);
  }

  #isForgotten({ limit, traffic, tokens, circuit, sending }: KeyState, nowMs: number): boolean {
    return (
      sending === 0 &&
      traffic.isForgotten(nowMs) &&
      tokens >= (this.settings.budget?.capacity ?? 0) &&
      (circuit === null || circuit.phase === 'closed') &&
      (limit === null || limit.isForgotten(nowMs))
    );
  }
}

/** Values by key. For each new key some others are checked, and forgotten if there is nothing to remember. */
class Remembered<V> {
  readonly all = new Map<string, V>();
  readonly #isForgotten: (value: V, nowMs: number) => boolean;
  constructor(isForgotten: (value: V, nowMs: number) => boolean) {
    this.#isForgotten = isForgotten;
  }

  get(key: string, nowMs: number, create: () => V): V {
    const known = this.all.get(key);
    if (known !== undefined) return known;
    this.#forgetSome(nowMs);
    const value = create();
    this.all.set(key, value);
    return value;
  }

  /** Those that are kept are checked again after all others, so that the cost of a new key does not grow with their number. */
  #forgetSome(nowMs: number): void {
    let left = LOOKED_AT;
    for (const [key, value] of this.all) {
      if (left === 0) return;
      left -= 1;
      this.all.delete(key);
      if (!this.#isForgotten(value, nowMs)) this.all.set(key, value);
    }
  }
}

/** Returns the limit of a key; creates it if it has none. */
export function limitOf(state: KeyState): Limit {
  return (state.limit ??= new Limit(state.traffic));
}
