/** What was sent in the last window of a limit that slides: each part of it is free again a window after it was sent. */

/** Requests of one part of the window are counted as sent at its end, because some travel faster than others. */
const PARTS = 64;

interface Part {
  readonly untilMs: number;
  amount: number;
}

export class SlidingLog {
  readonly #parts: Part[] = [];
  /** What has left recently, by the moment at which it left. */
  readonly #gone: Part[] = [];
  #sum = 0;

  /** What was sent and has not left the window. */
  get sum(): number {
    return this.#sum;
  }

  sent(amount: number, nowMs: number, windowMs: number): void {
    const last = this.#parts.at(-1);
    this.#sum += amount;
    if (last !== undefined && nowMs < last.untilMs) last.amount += amount;
    else this.#parts.push({ untilMs: nowMs + windowMs / PARTS, amount });
    // A window that is not known yet.
    if (this.#parts.length > 2 * PARTS) this.#shift();
  }

  /** What was sent a window ago leaves it. Returns how much that is. */
  leave(nowMs: number, windowMs: number): number {
    let left = 0;
    for (let [first] = this.#parts; first !== undefined && first.untilMs <= nowMs - windowMs; [first] = this.#parts) {
      left += first.amount;
      this.#gone.push({ untilMs: first.untilMs + windowMs, amount: first.amount });
      if (this.#gone.length > PARTS) this.#gone.shift();
      this.#shift();
    }
    return left;
  }

  /** How much has certainly left since a moment: a request leaves up to a part earlier than it is counted as gone. */
  leftSince(sinceMs: number, windowMs: number): number {
    let left = 0;
    for (const { untilMs, amount } of this.#gone) if (untilMs > sinceMs + windowMs / PARTS) left += amount;
    return left;
  }

  /** A request that was sent then was refused, so it does not count. */
  refused(amount: number, sentMs: number): void {
    const part = this.#parts.find(({ untilMs }) => sentMs < untilMs);
    if (part === undefined) return;
    const dropped = Math.min(amount, part.amount);
    part.amount -= dropped;
    this.#sum -= dropped;
  }

  /** Forgets the oldest until no more than this is left: the server does not count it any more. */
  keep(most: number): void {
    while (this.#sum > most) {
      const [first] = this.#parts;
      if (first === undefined) return;
      const dropped = Math.min(first.amount, this.#sum - most);
      if (dropped === first.amount) this.#shift();
      else {
        first.amount -= dropped;
        this.#sum -= dropped;
      }
    }
  }

  /** When so much of it was sent; null: it is less. */
  sentMs(amount: number): number | null {
    let sum = 0;
    for (const { untilMs, amount: part } of this.#parts) {
      sum += part;
      if (sum >= amount) return untilMs;
    }
    return null;
  }

  #shift(): void {
    this.#sum -= this.#parts.shift()?.amount ?? 0;
  }
}
