/**
 * The difference between the clock of a process and that of the store, from the times at which the store was asked and has
 * answered. Only the fastest way there and the fastest way back of the last half minute count, each by itself: both are
 * seldom fast at once.
 */

const KEPT_MS = 30_000;

/** The shortest of what was seen in the last half minute or so. */
class Shortest {
  #present = Number.POSITIVE_INFINITY;
  #before = Number.POSITIVE_INFINITY;
  #sinceMs = Number.NEGATIVE_INFINITY;

  add(value: number, nowMs: number): void {
    if (nowMs - this.#sinceMs > KEPT_MS) {
      this.#before = this.#present;
      this.#present = Number.POSITIVE_INFINITY;
      this.#sinceMs = nowMs;
    }
    this.#present = Math.min(this.#present, value);
  }

  get value(): number {
    return Math.min(this.#present, this.#before);
  }
}

export class StoreClock {
  /** What is to be added to a time of the store. */
  offsetMs = 0;
  /** How long an answer was on its way at most, about; null: not known yet. */
  wayMs: number | null = null;
  #there = new Shortest();
  #back = new Shortest();

  /** The store was asked and has answered at these times of the process, at this time of its own. */
  hear(askedMs: number, answeredMs: number, storeMs: number): void {
    this.#there.add(storeMs - askedMs, answeredMs);
    this.#back.add(answeredMs - storeMs, answeredMs);
    // Nothing arrives before it was sent: a clock was set to another time.
    if (this.#there.value + this.#back.value < 0) {
      this.#there = new Shortest();
      this.#back = new Shortest();
      this.#there.add(storeMs - askedMs, answeredMs);
      this.#back.add(answeredMs - storeMs, answeredMs);
    }
    this.offsetMs = (this.#back.value - this.#there.value) / 2;
    this.wayMs = (answeredMs - askedMs) / 2;
  }
}
