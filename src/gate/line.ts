/**
 * The queue of a limit: calls that wait for the moment at which they may be sent.
 *
 * A call gets its moment when it joins, so that the moment can be announced. The moment becomes later if the pace gets
 * slower or a call with precedence joins, and earlier if there is more room than expected. Moments are an interval apart; the gap of a call that has left is used again.
 *
 * First attempts have precedence over retries and over `batch` calls. If there are more calls than a limit admits, a
 * first attempt that finds room costs the server one request; behind all earlier refusals it would be as slow as they
 * are. One slot in twenty belongs to the calls that yield.
 */

/** A place in the queue. */
export interface Place {
  /** When the attempt may be sent. */
  slotMs: number;
  /** When the call itself plans to send. */
  readonly plannedMs: number;
  /** The earliest moment, even if a slot is free, and the latest, however long the queue is. */
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

/** The slot after this many overtakings goes to a call that yields. */
const OVERTAKING_IN_A_ROW = 19;

/** The places of a limit, by their moments. `interval(atMs)`: the distance between them. */
export class Line {
  readonly #places: Place[] = [];
  #lastSentMs = Number.NEGATIVE_INFINITY;
  #overtakings = 0;

  /** In the order of their moments. */
  get places(): readonly Place[] {
    return this.#places;
  }

  /** The number of places with a longer wait than planned. */
  get delayed(): number {
    let count = 0;
    for (const { slotMs, plannedMs } of this.#places) if (slotMs > plannedMs) count += 1;
    return count;
  }

  /** Gives a place the first moment that is free for it. */
  join(place: Place, interval: (atMs: number) => number): void {
    let overtakes = !place.yields && this.#mayOvertake();
    let slotMs = this.#freeSlot(place.earliestMs, overtakes, interval);
    if (!place.yields && slotMs > place.yieldsFromMs) {
      place.yields = true;
      overtakes = false;
      slotMs = this.#freeSlot(place.earliestMs, overtakes, interval);
    }
    place.slotMs = Math.max(place.earliestMs, Math.min(slotMs, place.latestMs));
    const apartMs = interval(place.slotMs);
    const index = this.#places.findIndex(
      (other) =>
        other.slotMs > place.slotMs ||
        (overtakes && other.slotMs > place.slotMs - apartMs && isOvertaken(other, place.slotMs + apartMs)),
    );
    this.#places.splice(index < 0 ? this.#places.length : index, 0, place);
    this.#spread(this.#places.indexOf(place) + 1, place.slotMs, interval, 'until it fits');
  }

  /** Removes a place, whether its attempt is sent or not. */
  leave(place: Place): void {
    const index = this.#places.indexOf(place);
    if (index >= 0) this.#places.splice(index, 1);
  }

  /** When the next slot is free for a call that is alone. */
  nextSlotMs(intervalMs: number): number {
    return Math.max(this.#lastSentMs, this.#places.at(-1)?.slotMs ?? Number.NEGATIVE_INFINITY) + intervalMs;
  }

  /** Delays a place until then; places behind it stay behind it. */
  postpone(place: Place, untilMs: number, interval: (atMs: number) => number): void {
    place.slotMs = Math.max(place.slotMs, untilMs);
    this.#places.sort((one, other) => one.slotMs - other.slotMs);
    this.#spread(this.#places.indexOf(place) + 1, place.slotMs, interval);
  }

  /** The attempt of a slot is sent; the next one keeps its distance. */
  sent(slotMs: number): void {
    this.#lastSentMs = Math.max(this.#lastSentMs, slotMs);
  }

  /** Moves places apart after the pace got slower. No place gets an earlier moment than announced. */
  slowDown(interval: (atMs: number) => number): void {
    this.#spread(0, this.#lastSentMs, interval);
  }

  /**
   * Moves places forward where the interval has become shorter, and wakes the calls that may be sent soon. No place gets
   * an earlier moment than its call plans.
   */
  advance(nowMs: number, untilMs: number, interval: (atMs: number) => number): void {
    let freeMs = Math.max(nowMs, this.#lastSentMs + interval(nowMs));
    const woken: Place[] = [];
    for (const place of this.#places) {
      if (freeMs > untilMs) break;
      const slotMs = Math.min(place.slotMs, Math.max(freeMs, place.plannedMs));
      if (slotMs < place.slotMs) woken.push(place);
      place.slotMs = slotMs;
      place.earliestMs = Math.min(place.earliestMs, slotMs);
      freeMs = Math.max(freeMs, slotMs + interval(slotMs));
    }
    if (woken.length === 0) return;
    this.#places.sort((one, other) => one.slotMs - other.slotMs);
    for (const place of woken) place.wake?.();
  }

  /** Gives every place a moment from now on, at this distance, and wakes its call. */
  letGo(nowMs: number, apartMs: number): void {
    let slotMs = nowMs;
    for (const place of this.#places) {
      place.earliestMs = place.plannedMs;
      place.slotMs = Math.max(place.plannedMs, slotMs);
      place.latestMs = Math.min(place.latestMs, place.slotMs);
      slotMs += apartMs;
    }
    for (const place of [...this.#places]) place.wake?.();
  }

  /** Extends the latest moment of every place. */
  extend(latestMs: number): void {
    for (const place of this.#places) place.latestMs = Math.max(place.earliestMs, latestMs);
  }

  #freeSlot(earliestMs: number, overtakes: boolean, interval: (atMs: number) => number): number {
    let slotMs = Math.max(earliestMs, this.#lastSentMs + interval(earliestMs));
    for (const other of this.#places) {
      if (overtakes && isOvertaken(other, slotMs)) continue;
      const otherEndsMs = other.slotMs + interval(other.slotMs);
      if (otherEndsMs <= slotMs) continue;
      if (other.slotMs - slotMs >= interval(slotMs)) break;
      slotMs = otherEndsMs;
    }
    return slotMs;
  }

  /** Moves places apart, all of them or until one need not move, because those behind it have their distance. */
  #spread(
    from: number,
    previousMs: number,
    interval: (atMs: number) => number,
    which: 'all' | 'until it fits' = 'all',
  ): void {
    let lastMs = previousMs;
    for (let index = from; index < this.#places.length; index += 1) {
      const place = this.#places[index];
      if (place === undefined) return;
      const apartMs = Math.min(lastMs + interval(lastMs), place.latestMs);
      const slotMs = Math.max(place.slotMs, apartMs, lastMs);
      if (which === 'until it fits' && slotMs === place.slotMs) return;
      place.slotMs = slotMs;
      lastMs = place.slotMs;
    }
  }

  #mayOvertake(): boolean {
    const yielding = this.#places.find(({ yields }) => yields);
    if (yielding === undefined) return false;
    this.#overtakings += 1;
    if (this.#overtakings <= OVERTAKING_IN_A_ROW) return true;
    this.#overtakings = 0;
    yielding.yields = false;
    return true;
  }
}

function isOvertaken(place: Place, slotMs: number): boolean {
  return place.yields && place.latestMs > slotMs;
}
