/** What was sent lately under a limit that slides: each part of it is free again a window after it was sent. */

/** Requests of one part of the window are counted as sent at its end, because some travel faster than others. */
export const PARTS = 64;

interface Part {
  readonly untilMs: number;
  amount: number;
}

export class SlidingLog {
  readonly #parts: Part[] = [];

  sent(amount: number, nowMs: number, windowMs: number): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && nowMs < last.untilMs) last.amount += amount;
    else this.#parts.push({ untilMs: nowMs + windowMs / PARTS, amount });
    // A window, and what left it while the last answers were on their way.
    if (this.#parts.length > 2 * PARTS) this.#parts.shift();
  }

  /** A request that was sent then was refused, so it does not count. */
  refused(sentMs: number): void {
    const part = this.#parts.find(({ untilMs }) => sentMs < untilMs);
    if (part !== undefined) part.amount = Math.max(0, part.amount - 1);
  }

  /** How much was sent after one moment, until another one. */
  between(fromMs: number, untilMs: number): number {
    let sum = 0;
    for (const part of this.#parts) if (part.untilMs > fromMs && part.untilMs <= untilMs) sum += part.amount;
    return sum;
  }

  /** When so much had been sent after a moment; null: it is less. */
  reachedMs(amount: number, fromMs: number): number | null {
    let sum = 0;
    for (const part of this.#parts) {
      if (part.untilMs > fromMs) sum += part.amount;
      if (sum >= amount) return part.untilMs;
    }
    return null;
  }
}
