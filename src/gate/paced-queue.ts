/**
 * The queue of a limit that was learned or announced: calls in the order in which they came. The next of them is sent
 * when an interval has passed since the last. How long that is may change at any time, so nothing is planned ahead: a
 * call is told when its turn is likely to come, and asks again then.
 *
 * First attempts have precedence over retries and over `batch` calls. If there are more calls than a limit admits, a
 * first attempt that finds room costs the server one request; behind all earlier refusals it would be as slow as they
 * are. One turn in twenty belongs to the calls that yield.
 */

/** The place of a call in the queue. */
export interface PacedSlot {
  /** When it is sent however long the queue is. */
  latestMs: number;
  /** It is a retry or a batch call, or would wait for long anyway: first attempts go before it. */
  yields: boolean;
  /** The estimated cost; 0: unknown. */
  readonly tokens: number;
  /** The moment that the call was told. */
  atMs: number;
  /** Ends the wait of the call, which then asks again. */
  wake: (() => void) | null;
}

/** After this many first attempts in a row a call that yields is sent. */
const OVERTAKING_IN_A_ROW = 19;

export class PacedQueue {
  readonly #slots: PacedSlot[] = [];
  /** When the last call was sent. */
  lastSentMs: number = -Infinity;
  #overtakings = 0;

  get slots(): readonly PacedSlot[] {
    return this.#slots;
  }

  join(slot: PacedSlot): void {
    this.#slots.push(slot);
  }

  /** Removes a slot, whether its attempt is sent or not. */
  leave(slot: PacedSlot): void {
    const index = this.#slots.indexOf(slot);
    if (index >= 0) this.#slots.splice(index, 1);
  }

  /** Whose turn it is, of the calls that count. */
  next(counts: (slot: PacedSlot) => boolean = () => true): PacedSlot | undefined {
    const isTurnOfYielding = this.#overtakings >= OVERTAKING_IN_A_ROW;
    let other: PacedSlot | undefined;
    for (const slot of this.#slots) {
      if (!counts(slot)) continue;
      if (slot.yields === isTurnOfYielding) return slot;
      other ??= slot;
    }
    return other;
  }

  /** When the turn of a slot comes if the next one is sent at `freeMs`. */
  turnMs(slot: PacedSlot, freeMs: number, interval: (atMs: number) => number): number {
    const next = this.next();
    let atMs = freeMs;
    let isBehind = false;
    for (const other of this.#slots) {
      if (next === slot) break;
      isBehind ||= other === slot;
      const precedes = isBehind ? slot.yields && !other.yields : slot.yields || !other.yields;
      if (other === next || (precedes && other !== slot)) atMs += interval(atMs);
    }
    return atMs;
  }

  /** A call is sent. `slot`: null if it did not wait */
  sent(slot: PacedSlot | null, nowMs: number): void {
    this.lastSentMs = nowMs;
    if (slot === null) return;
    this.leave(slot);
    const overtakes = !slot.yields && this.#slots.some(({ yields }) => yields);
    this.#overtakings = overtakes ? this.#overtakings + 1 : 0;
  }
}
