/**
 * The difference between the clock of a process and that of the store, from the times at which the store was asked and has
 * answered. Only the fastest way there and the fastest way back count, each by itself: both are seldom fast at once.
 */

/** The fastest ways are believed to be this much longer with each millisecond: clocks drift, and ways change. */
const AGING = 0.0005;

export class StoreClock {
  /** What is to be added to a time of the store. */
  offsetMs = 0;
  /** How long an answer was on its way at most, about; null: not known yet. */
  wayMs: number | null = null;
  /** The fastest way there plus what the store's clock is ahead, and the fastest way back minus it. */
  #thereMs: number = Infinity;
  #backMs: number = Infinity;
  #heardMs = 0;

  /** The store was asked and has answered at these times of the process, at this time of its own. */
  hear(askedMs: number, answeredMs: number, storeMs: number): void {
    const [thereMs, backMs] = [storeMs - askedMs, answeredMs - storeMs];
    const agedMs = AGING * (answeredMs - this.#heardMs);
    this.#thereMs = Math.min(thereMs, this.#thereMs + agedMs);
    this.#backMs = Math.min(backMs, this.#backMs + agedMs);
    // Nothing arrives before it was sent: a clock was set to another time.
    if (this.#thereMs + this.#backMs < 0) [this.#thereMs, this.#backMs] = [thereMs, backMs];
    this.offsetMs = (this.#backMs - this.#thereMs) / 2;
    this.wayMs = (answeredMs - askedMs) / 2;
    this.#heardMs = answeredMs;
  }
}
