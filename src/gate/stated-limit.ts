/**
 * A limit that the user has stated, kept from the first call on. Its calls stand in a queue: those that were sent
 * before (they are the oldest), then first attempts, then `batch` calls; first come, first served within each. The
 * first of the queue is sent when every rate admits it and a concurrency slot is free. Each call is told its moment when
 * it joins; if it may be sent earlier, because others have left, it is woken.
 */

import type { Failure } from '../failure/failure.ts';
import { startIdleTimer, systemRuntime } from '../runtime/runtime.ts';
import { ConcurrencySlot } from './concurrency-slot.ts';
import { type AskStore, FleetTurns } from './fleet-turns.ts';
import { DayCount, Rate } from './stated-rates.ts';
import { DAY_MS, SLOT_LEASE_MS } from './store.ts';

/** The limits that the user knows. */
export interface GateLimits {
  /**
   * Requests at a time. A request counts until its response body has ended, was cancelled, was collected as garbage or
   * has not been read for a minute, or until the signal of its call aborts.
   */
  readonly concurrent?: number | undefined;
  /** Evenly spaced. */
  readonly requestsPerSecond?: number | undefined;
  /** Evenly spaced. */
  readonly requestsPerMinute?: number | undefined;
  /** Requests in any 24 hours; they are not spaced. */
  readonly requestsPerDay?: number | undefined;
  /** Evenly spaced, by the estimates of `cost`, which must be set. */
  readonly tokensPerMinute?: number | undefined;
  /**
   * How many requests of a limit per second or minute may be sent at once after a pause. Only for a server that is
   * known to allow it. @default 1: requests are evenly spaced, which no limiter refuses
   */
  readonly burst?: number | undefined;
}

/** Where a call stands in the queue: calls of a lower rank go first. */
type Rank = 'again' | 'interactive' | 'batch';

/** The place of a call in the queue. */
export interface StatedSlot {
  readonly tokens: number;
  readonly rank: Rank;
  /** The concurrency slot of the call from within which this one was made. */
  readonly parent: ConcurrencySlot | undefined;
  /** When the call joined the queue, and how many had joined before it. */
  joinedMs: number;
  index: number;
  /** The moment that the call was told. */
  toldMs: number;
  /** Ends the wait of the call, which then asks again. */
  wake: (() => void) | null;
}

/** The answer to a call: it may be sent now, it waits, or it would wait for itself. `isGuess`: no rate names the moment. */
export type Admission =
  | { readonly kind: 'now' | 'deadlock' }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly isGuess: boolean };

/** After this many calls with precedence, one of the calls behind them is sent. */
const OVERTAKING_IN_A_ROW = 19;
/** A call that was told a later moment than necessary by less than this keeps it. */
const KEPT_MOMENT_MS = 50;
/** A call that waits for a concurrency slot asks again after this time, to tell who holds them. */
const HOLDERS_TOLD_AFTER_MS = 30_000;
/** While calls wait for a slot, the bodies that hold one are looked at this often; while those of others may, less often. */
const LOOK_MS = 50;
const LOOK_FOR_OTHERS_MS = SLOT_LEASE_MS / 3;
/** A turn of the event loop that takes no longer does not delay a request. Timers are no finer than a millisecond. */
const USUAL_TURN_MS = 2;
const MINUTE_MS = 60_000;

export class StatedLimit {
  readonly #now: () => number;
  readonly #rates: readonly Rate[];
  readonly #day: DayCount | null;
  readonly #concurrent: number;
  readonly #held = new Set<ConcurrencySlot>();
  readonly #ranks: Readonly<Record<Rank, Set<StatedSlot>>> = {
    again: new Set(),
    interactive: new Set(),
    batch: new Set(),
  };
  #joined = 0;
  #overtakings = 0;
  #tokens = 0;
  /** How long a slot is usually held. */
  #heldMs = 1_000;
  #lastSentMs: number = -Infinity;
  #looksAtMs: number = -Infinity;
  /** When the holders of slots were told last. */
  #toldMs: number = -Infinity;

  /** The turns of the whole fleet; null: this process alone. */
  readonly #fleet: FleetTurns | null;
  readonly #perSecond: number;

  /**
   * @param now The gate's clock.
   * @param askStore Where the limit is shared with other processes.
   */
  constructor(
    {
      concurrent = Infinity,
      requestsPerSecond,
      requestsPerMinute,
      requestsPerDay,
      tokensPerMinute,
      burst = 1,
    }: GateLimits,
    now: () => number,
    askStore?: AskStore,
  ) {
    this.#now = now;
    this.#concurrent = concurrent;
    // Even distances that keep the lower of both keep the other one too.
    this.#perSecond = Math.min(requestsPerSecond ?? Infinity, (requestsPerMinute ?? Infinity) / 60);
    this.#fleet = askStore === undefined ? null : new FleetTurns(now, askStore, () => this.#heard());
    this.#rates = [
      ...(this.#perSecond === Infinity ? [] : [new Rate('requests', this.#perSecond / 1_000, burst)]),
      ...(tokensPerMinute === undefined ? [] : [new Rate('tokens', tokensPerMinute / MINUTE_MS)]),
    ];
    this.#day = requestsPerDay === undefined ? null : new DayCount(requestsPerDay);
  }

  /** The calls in the queue. */
  get waiting(): number {
    const { again, interactive, batch } = this.#ranks;
    return again.size + interactive.size + batch.size;
  }

  /** Those who hold the slots, if none of these has become free for a long time; told once in that time. */
  holdersToTell(nowMs: number): readonly ConcurrencySlot[] {
    const sinceMs = Math.max(this.#lastSentMs, this.#toldMs);
    if (this.#held.size < this.#slots(nowMs) || nowMs - sinceMs < HOLDERS_TOLD_AFTER_MS) return [];
    this.#toldMs = nowMs;
    return [...this.#held];
  }

  /** Whether nothing has to be remembered. */
  isForgotten(nowMs: number): boolean {
    const rememberedMs = this.#day === null ? MINUTE_MS : DAY_MS;
    return this.waiting === 0 && this.#held.size === 0 && nowMs - this.#lastSentMs > rememberedMs;
  }

  /** Whether a call may be sent now. One that may not stays in the queue until it is sent or leaves. */
  ask(slot: StatedSlot, nowMs: number): Admission {
    slot.wake = null;
    this.#join(slot, nowMs);
    const isFirst = this.#first() === slot;
    const hasSlot = isFirst && this.#hasConcurrencySlot(nowMs);
    const ownMs = this.#freeAtMs(nowMs);
    // Each process of a fleet has about as many calls.
    const before = isFirst ? 0 : this.#callsBefore(slot) * (this.#fleet?.processes ?? 1);
    const turnMs = isFirst ? this.#turnMs(ownMs, hasSlot, nowMs) : this.#freeAtMs(nowMs, before);
    // Timers are no finer than a millisecond, but the turns of a fleet are as close as they may be.
    if (hasSlot && turnMs <= nowMs + (this.#fleet === null ? 1 : 0)) return { kind: 'now' };
    if (this.#waitsForItself(slot)) {
      this.leave(slot, nowMs);
      return { kind: 'deadlock' };
    }
    if (!hasSlot) this.#lookAgain(nowMs);
    const untilMs = Math.max(turnMs, this.#slotMs(slot, before, nowMs));
    slot.toldMs = untilMs;
    // Only rates name a moment, and for a fleet the store does.
    const namedMs = this.#fleet === null ? turnMs : Math.max(ownMs, this.#fleet.nextMs(nowMs) ?? 0);
    return { kind: 'wait', untilMs, isGuess: namedMs < untilMs };
  }

  /** A call is sent; it need not have asked. Returns its concurrency slot. */
  sent(slot: StatedSlot, nowMs: number, url: string): ConcurrencySlot | null {
    this.#remove(slot);
    if (slot.rank === 'batch' || this.#ahead(slot.rank) > 0) this.#overtakings = 0;
    else if (this.waiting > this.#ranks[slot.rank].size) this.#overtakings += 1;
    // Without a store each process keeps to its share.
    const share = this.#fleet?.isLost(nowMs) === true ? this.#fleet.processes : 1;
    for (const rate of this.#rates) rate.sent(slot.tokens, share, nowMs);
    if (this.#rates.length > 0) this.#followLate(slot.tokens, nowMs);
    this.#day?.sent(share, nowMs);
    this.#fleet?.sent();
    this.#lastSentMs = nowMs;
    const taken =
      this.#concurrent === Infinity
        ? null
        : new ConcurrencySlot(url, slot.parent, this.#now, (released) => this.#released(released));
    if (taken !== null) {
      this.#held.add(taken);
      this.#lookAgain(nowMs);
    }
    this.#askStore(nowMs);
    this.#wakeFirst(nowMs);
    return taken;
  }

  /** A request leaves when the event loop has done what it was given before; an injected clock does not show how long that is. */
  #followLate(tokens: number, nowMs: number): void {
    if (this.#now !== systemRuntime.monotonic) return;
    startIdleTimer(0, () => {
      const leftMs = this.#now();
      if (leftMs - nowMs > USUAL_TURN_MS) for (const rate of this.#rates) rate.left(tokens, leftMs);
    });
  }

  /** A call leaves the queue. */
  leave(slot: StatedSlot, nowMs: number): void {
    if (!this.#remove(slot)) return;
    // A slot that no call waits for any more is for others at once.
    if (this.waiting === 0 && this.#concurrent !== Infinity) this.#askStore(nowMs, true);
    this.#wakeFirst(nowMs);
  }

  served(): void {
    for (const rate of this.#rates) rate.served();
  }

  /**
   * The server refused a request although the limit was kept: it was too close to another one, or the tokens were more
   * than estimated.
   */
  refused({ type, retryAfterMs = 0 }: Failure, nowMs: number): void {
    for (const rate of this.#rates) rate.refused(type === 'rate_limit' ? Math.min(retryAfterMs, MINUTE_MS) : 0, nowMs);
  }

  #released(slot: ConcurrencySlot): void {
    const nowMs = this.#now();
    this.#held.delete(slot);
    this.#heldMs += (nowMs - slot.sinceMs - this.#heldMs) / 5;
    this.#askStore(nowMs, this.waiting === 0 || this.#fleet?.keepsSlot(nowMs) === false);
    this.#wakeFirst(nowMs, 0);
  }

  #hasConcurrencySlot(nowMs: number): boolean {
    if (this.#held.size >= this.#slots(nowMs)) this.#releaseOver(nowMs);
    return this.#held.size < this.#slots(nowMs);
  }

  #releaseOver(nowMs: number): void {
    for (const slot of this.#held) slot.releaseIfOver(nowMs);
  }

  /** Looks at the bodies that hold slots, for as long as calls may wait. A runtime may drop the timer with its request. */
  #lookAgain(nowMs: number): void {
    if (this.#held.size === 0 && !this.#fleet?.slots) return;
    if (this.waiting === 0 && this.#fleet === null) return;
    const atMs = nowMs + (this.waiting > 0 ? LOOK_MS : LOOK_FOR_OTHERS_MS);
    if (this.#looksAtMs <= atMs && nowMs < this.#looksAtMs + LOOK_MS) return;
    this.#looksAtMs = atMs;
    startIdleTimer(atMs - nowMs, () => {
      if (this.#looksAtMs !== atMs) return;
      this.#looksAtMs = -Infinity;
      const laterMs = this.#now();
      this.#releaseOver(laterMs);
      if (this.#fleet?.slots) this.#askStore(laterMs);
      this.#lookAgain(laterMs);
    });
  }

  /** The concurrency slots of this process: those that the fleet leaves it, or its share if the store is lost. */
  #slots(nowMs: number): number {
    if (this.#fleet === null || this.#concurrent === Infinity) return this.#concurrent;
    if (this.#fleet.isLost(nowMs)) return Math.max(1, Math.floor(this.#concurrent / this.#fleet.processes));
    return this.#fleet.slots;
  }

  /** Whether there are rates, and so turns. */
  get #hasTurns(): boolean {
    return this.#rates.length > 0 || this.#day !== null;
  }

  /** When the first of the queue may be sent; asks the store for more turns. */
  #turnMs(ownMs: number, hasSlot: boolean, nowMs: number): number {
    const fleet = this.#fleet;
    if (fleet === null || fleet.isLost(nowMs)) return ownMs;
    const nextMs = this.#hasTurns ? fleet.nextMs(nowMs) : nowMs;
    this.#askStore(nowMs);
    const asksAgainMs = fleet.asksAgainMs(nowMs, !hasSlot);
    const turnMs = nextMs === null ? asksAgainMs : Math.max(nextMs, ownMs);
    return hasSlot ? turnMs : Math.max(turnMs, asksAgainMs);
  }

  /** Asks the store for what the queue needs. `hasReleased`: a slot is free for others */
  #askStore(nowMs: number, hasReleased = false): void {
    const fleet = this.#fleet;
    if (fleet === null) return;
    const tokens = this.#first()?.tokens ?? 0;
    const needed = Math.min(this.#held.size + this.waiting, this.#concurrent);
    // A slot that no call waits for is given back.
    fleet.slots = Math.max(this.#held.size, Math.min(fleet.slots, needed));
    const slots = { most: this.#concurrent, held: fleet.slots, wanted: needed - fleet.slots };
    const need = {
      turns: this.#hasTurns ? fleet.turnsFor(this.waiting, this.#perSecond) : 0,
      rates: this.#rates.map((rate) => rate.shared(tokens, nowMs)),
      perDay: this.#day?.perDay,
      slots: this.#concurrent === Infinity ? undefined : slots,
    };
    fleet.ask(need, nowMs, hasReleased);
  }

  /** The store has answered, or was lost. */
  #heard(): void {
    const nowMs = this.#now();
    this.#askStore(nowMs);
    this.#lookAgain(nowMs);
    this.#wakeFirst(nowMs);
  }

  /** Whether every concurrency slot is held by a call that waits for a call of its own, such as this one. */
  #waitsForItself({ parent }: StatedSlot): boolean {
    if (parent === undefined || this.#held.size < this.#concurrent) return false;
    for (const { waitingWithin } of this.#held) if (waitingWithin === 0) return false;
    return true;
  }

  #join(slot: StatedSlot, nowMs: number): void {
    const rank = this.#ranks[slot.rank];
    if (rank.has(slot)) return;
    slot.index = this.#joined += 1;
    slot.joinedMs = nowMs;
    this.#tokens += slot.tokens;
    rank.add(slot);
    this.#countWithin(slot, 1);
  }

  #remove(slot: StatedSlot): boolean {
    if (!this.#ranks[slot.rank].delete(slot)) return false;
    this.#tokens -= slot.tokens;
    this.#countWithin(slot, -1);
    return true;
  }

  /** Counts a call with the calls of this limit that it was made within. */
  #countWithin(slot: StatedSlot, change: 1 | -1): void {
    for (let { parent } = slot; parent !== undefined; { parent } = parent)
      if (this.#held.has(parent)) parent.waitingWithin += change;
  }

  #first(): StatedSlot | undefined {
    const { again, interactive, batch } = this.#ranks;
    const [[retry], [first], [last]] = [again, interactive, batch];
    const isLastOlder = (last?.index ?? Infinity) < (first?.index ?? Infinity);
    if (this.#overtakings >= OVERTAKING_IN_A_ROW) return (isLastOlder ? last : first) ?? retry;
    return retry ?? first ?? last;
  }

  /** When every rate admits a request; after some others, when that is expected. */
  #freeAtMs(nowMs: number, before = 0): number {
    const tokens = this.#tokens / Math.max(1, this.waiting);
    let freeAtMs = this.#day?.freeAtMs(1 + before, nowMs) ?? nowMs;
    for (const rate of this.#rates) freeAtMs = Math.max(freeAtMs, rate.freeAtMs(nowMs, before, tokens));
    return freeAtMs;
  }

  /** When a call of the queue is expected to get a concurrency slot, after so many others. */
  #slotMs(slot: StatedSlot, before: number, nowMs: number): number {
    const free = this.#concurrent - this.#held.size;
    const turns = Math.ceil((before + 1 - free) / this.#concurrent);
    if (this.#concurrent === Infinity || turns <= 0) return nowMs + 1;
    // The slot may be free much earlier, and then the call is woken. It asks again now and then, to tell who holds it.
    const expectedMs = Math.max(10, turns * this.#heldMs, (nowMs - slot.joinedMs) / 2);
    return nowMs + Math.min(expectedMs, HOLDERS_TOLD_AFTER_MS);
  }

  /** Calls that left the queue since are counted too: it is only an estimate. */
  #callsBefore({ rank, index }: StatedSlot): number {
    const ahead = this.#ahead(rank);
    for (const first of this.#ranks[rank]) return ahead + Math.min(index - first.index, this.#ranks[rank].size - 1);
    return ahead;
  }

  /** The calls with precedence over those of a rank. */
  #ahead(rank: Rank): number {
    const { again, interactive } = this.#ranks;
    return rank === 'again' ? 0 : again.size + (rank === 'batch' ? interactive.size : 0);
  }

  /** Wakes the first of the queue if it may be sent earlier than it was told. A turn of a fleet must not be missed. */
  #wakeFirst(nowMs: number, keptMs: number = this.#fleet === null ? KEPT_MOMENT_MS : 0): void {
    const first = this.#first();
    if (first === undefined || first.wake === null || this.#held.size >= this.#concurrent) return;
    const freeAtMs = Math.max(this.#freeAtMs(nowMs), this.#fleet?.nextMs(nowMs) ?? nowMs);
    if (freeAtMs >= first.toldMs - keptMs) return;
    const { wake } = first;
    first.wake = null;
    wake();
  }
}

/** Whether any limit is stated. */
export function statesAny(limits: GateLimits): boolean {
  return Object.entries(limits).some(([name, limit]) => name !== 'burst' && limit !== undefined);
}
