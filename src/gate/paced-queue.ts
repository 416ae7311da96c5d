/**
 * The queue of a limit that was learned or announced: calls that wait for the moment at which they may be sent.
 *
 * A call gets its moment when it joins, so that the call can be told. The moment becomes later if the pace gets slower or
 * a call with precedence joins, and earlier if there is more room than expected. Moments are an interval apart; the gap
 * of a call that has left is used again.
 *
 * First attempts have precedence over retries and over `batch` calls. If there are more calls than a limit admits, a
 * first attempt that finds room costs the server one request; behind all earlier refusals it would be as slow as they
 * are. One moment in twenty belongs to the calls that yield.
 */

/** The place of a call in the queue. */
export interface PacedSlot {
  /** When the attempt may be sent. */
  atMs: number;
  /** When the call itself plans to send. */
  readonly plannedMs: number;
  /** The earliest moment, even if an earlier one is free, and the latest, however long the queue is. */
  earliestMs: number;
  latestMs: number;
  /** A retry or a batch call: first attempts may overtake it. */
  yields: boolean;
  /** A first attempt that would wait longer than this yields: another one can still be as fast as without a gate. */
  readonly yieldsFromMs: number;
  /** The estimated cost; 0: unknown. */
  readonly tokens: number;
  /** Ends the wait of the call, which then asks again. */
  wake: (() => void) | null;
}

/** The moment after this many overtakings goes to a call that yields. */
const OVERTAKING_IN_A_ROW = 19;

/** The slots of the calls that wait, by their moments. `interval(atMs)`: the distance between them. */
export class PacedQueue {
  readonly #slots: PacedSlot[] = [];
  #lastSentMs = -Infinity;
  #overtakings = 0;

  /** In the order of their moments. */
  get slots(): readonly PacedSlot[] {
    return this.#slots;
  }

  /** The number of slots with a longer wait than planned. */
  get delayed(): number {
    let count = 0;
    for (const { atMs, plannedMs } of this.#slots) if (atMs > plannedMs) count += 1;
    return count;
  }

  /** Gives a slot the first moment that is free for it. */
  join(slot: PacedSlot, interval: (atMs: number) => number): void {
    let overtakes = !slot.yields && this.#mayOvertake();
    let atMs = this.#freeMs(slot.earliestMs, overtakes, interval);
    if (!slot.yields && atMs > slot.yieldsFromMs) {
      slot.yields = true;
      overtakes = false;
      atMs = this.#freeMs(slot.earliestMs, overtakes, interval);
    }
    slot.atMs = Math.max(slot.earliestMs, Math.min(atMs, slot.latestMs));
    const apartMs = interval(slot.atMs);
    let index = this.#firstAfter(overtakes ? slot.atMs - apartMs : slot.atMs);
    for (let other = this.#slots[index]; other !== undefined; other = this.#slots[(index += 1)])
      if (other.atMs > slot.atMs || isOvertaken(other, slot.atMs + apartMs)) break;
    this.#slots.splice(index, 0, slot);
    this.#spread(index + 1, slot.atMs, interval, 'until it fits');
  }

  /** Removes a slot, whether its attempt is sent or not. */
  leave(slot: PacedSlot): void {
    const index = this.#slots.indexOf(slot);
    if (index >= 0) this.#slots.splice(index, 1);
  }

  /** When the next slot is free for a call that is alone. */
  nextFreeMs(intervalMs: number): number {
    return Math.max(this.#lastSentMs, this.#slots.at(-1)?.atMs ?? -Infinity) + intervalMs;
  }

  /** Delays a slot until then; slots behind it stay behind it. */
  postpone(slot: PacedSlot, untilMs: number, interval: (atMs: number) => number): void {
    this.leave(slot);
    slot.atMs = Math.max(slot.atMs, untilMs);
    const index = this.#firstAfter(slot.atMs - 1e-3);
    this.#slots.splice(index, 0, slot);
    this.#spread(index + 1, slot.atMs, interval);
  }

  /** The attempt of a slot is sent; the next one keeps its distance. */
  sent(atMs: number): void {
    this.#lastSentMs = Math.max(this.#lastSentMs, atMs);
  }

  /** Moves slots apart after the pace got slower. No slot gets an earlier moment than announced. */
  slowDown(interval: (atMs: number) => number): void {
    this.#spread(0, this.#lastSentMs, interval);
  }

  /**
   * Moves slots forward where the interval has become shorter, and wakes the calls that may be sent soon. No slot gets
   * an earlier moment than its call plans.
   */
  advance(nowMs: number, untilMs: number, interval: (atMs: number) => number): void {
    let freeMs = Math.max(nowMs, this.#lastSentMs + interval(nowMs));
    const woken: PacedSlot[] = [];
    for (const slot of this.#slots) {
      // The first one always: once it waits for longer than the limit demands, no answer may come that moves it forward.
      if (freeMs > untilMs && slot !== this.#slots[0]) break;
      const atMs = Math.min(slot.atMs, Math.max(freeMs, slot.plannedMs));
      if (atMs < slot.atMs) woken.push(slot);
      slot.atMs = atMs;
      slot.earliestMs = Math.min(slot.earliestMs, atMs);
      freeMs = Math.max(freeMs, atMs + interval(atMs));
    }
    for (const slot of woken) slot.wake?.();
  }

  /** Moves the first call that may be sent by its own plan to the present, and wakes it. Returns whether there is one. */
  wakeNext(nowMs: number): boolean {
    const slot = this.#slots.find(({ plannedMs, wake }) => plannedMs <= nowMs && wake !== null);
    if (slot === undefined) return false;
    const { wake } = slot;
    this.leave(slot);
    slot.atMs = Math.min(slot.atMs, nowMs);
    slot.wake = null;
    this.#slots.splice(this.#firstAfter(slot.atMs), 0, slot);
    wake?.();
    return true;
  }

  /** Gives every slot a moment from now on, at this distance, and wakes its call. */
  letGo(nowMs: number, apartMs: number): void {
    let atMs = nowMs;
    for (const slot of this.#slots) {
      slot.earliestMs = slot.plannedMs;
      slot.atMs = Math.max(slot.plannedMs, atMs);
      slot.latestMs = Math.min(slot.latestMs, slot.atMs);
      atMs += apartMs;
    }
    // A call that plans a later moment than those behind it stays behind them now.
    this.#slots.sort((one, other) => one.atMs - other.atMs);
    for (const slot of [...this.#slots]) slot.wake?.();
  }

  /** Extends the latest moment of every slot. */
  extend(latestMs: number): void {
    for (const slot of this.#slots) slot.latestMs = Math.max(slot.earliestMs, latestMs);
  }

  #freeMs(earliestMs: number, overtakes: boolean, interval: (atMs: number) => number): number {
    let atMs = Math.max(earliestMs, this.#lastSentMs + interval(earliestMs));
    const from = this.#firstAfter(atMs - interval(atMs));
    for (let other = this.#slots[from], index = from; other !== undefined; other = this.#slots[(index += 1)]) {
      if (overtakes && isOvertaken(other, atMs)) continue;
      const otherEndsMs = other.atMs + interval(other.atMs);
      if (otherEndsMs <= atMs) continue;
      if (other.atMs - atMs >= interval(atMs)) break;
      atMs = otherEndsMs;
    }
    return atMs;
  }

  /** The index of the first slot after a moment. */
  #firstAfter(atMs: number): number {
    let [from, until] = [0, this.#slots.length];
    while (from < until) {
      const middle = (from + until) >> 1;
      if ((this.#slots[middle]?.atMs ?? 0) > atMs) until = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** Moves slots apart, all of them or until one need not move, because those behind it have their distance. */
  #spread(
    from: number,
    previousMs: number,
    interval: (atMs: number) => number,
    which: 'all' | 'until it fits' = 'all',
  ): void {
    let lastMs = previousMs;
    for (let index = from; index < this.#slots.length; index += 1) {
      const slot = this.#slots[index];
      if (slot === undefined) return;
      const apartMs = Math.min(lastMs + interval(lastMs), slot.latestMs);
      const atMs = Math.max(slot.atMs, apartMs, lastMs);
      if (which === 'until it fits' && atMs === slot.atMs) return;
      slot.atMs = atMs;
      lastMs = slot.atMs;
    }
  }

  #mayOvertake(): boolean {
    const yielding = this.#slots.find(({ yields }) => yields);
    if (yielding === undefined) return false;
    this.#overtakings += 1;
    if (this.#overtakings <= OVERTAKING_IN_A_ROW) return true;
    this.#overtakings = 0;
    yielding.yields = false;
    return true;
  }
}

function isOvertaken(slot: PacedSlot, atMs: number): boolean {
  return slot.yields && slot.latestMs > atMs;
}
