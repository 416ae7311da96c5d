/**
 * The rates that the user has stated, kept so that no limiter refuses: a window of the clock, a window that slides, a
 * bucket of any size, also one that holds a single request, and a minute that is enforced as seconds. Requests evenly
 * apart are the only schedule that all of them admit.
 */

import type { Unit } from './sends.ts';

/**
 * Requests are further apart than the limit allows, because some travel faster than others. A call is told a moment by
 * the first factor; one that was sent late may be followed at a distance by the second, so the schedule catches up.
 */
const APART = { announced: 1.025, least: 1.015 } as const;

/**
 * A request that is refused although its distance was kept shows that requests travel at different speeds, or that the
 * server only approximates its count. So each refusal makes the distance larger, and twenty successes undo that. Not by
 * more than `most`, because other clients or chance may cause refusals that no distance prevents.
 */
const FURTHER = { refused: 0.05, served: 0.0025, most: 0.3 } as const;

/** A number of requests or tokens per time, evenly spaced. */
export class Rate {
  readonly unit: Unit;
  /** The distance that one unit keeps from the next. */
  readonly #unitMs: number;
  readonly #burst: number;
  #nextMs: number = -Infinity;
  /** What a request keeps in addition from those before it, in units. */
  #further = 0;
  /** Whether a request was served since the last refusal: in an outage only the first refusal counts. */
  #hasServed = true;

  /** `burst`: how many units may be sent at once after a pause */
  constructor(unit: Unit, perMs: number, burst = 1) {
    this.unit = unit;
    this.#unitMs = 1 / perMs;
    this.#burst = burst;
  }

  /** When the next request may be sent; after others that were announced a moment, when that is expected. */
  freeAtMs(nowMs: number, announced = 0): number {
    const slackMs = (this.#burst - 1 - this.#further) * this.#unitMs * APART.least;
    return Math.max(this.#nextMs - slackMs, nowMs) + announced * this.#unitMs * (APART.announced + this.#further);
  }

  /** Nothing more is sent before this moment. */
  rest(untilMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, untilMs);
  }

  /** The rate as a store keeps it for a fleet. */
  shared(amount: number): readonly [unitMs: number, burst: number, amount: number] {
    return [this.#unitMs * APART.announced, this.#burst - this.#further, amount];
  }

  sent(amount: number, nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs) + amount * this.#unitMs * APART.least;
  }

  /** A request that was sent has left this process only now. */
  left(amount: number, nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs + amount * this.#unitMs * APART.least);
  }

  served(): void {
    this.#further = Math.max(0, this.#further - FURTHER.served);
    this.#hasServed = true;
  }

  refused(): void {
    if (this.#hasServed) this.#further = Math.min(FURTHER.most, this.#further + FURTHER.refused);
    this.#hasServed = false;
  }
}

/** A number of requests or tokens within any time of a length. Counted in parts of it, and so a part too long. */
export class SlidingCount {
  readonly unit: Unit;
  readonly #most: number;
  readonly #partMs: number;
  readonly #parts: number;
  readonly #counts = new Map<number, number>();
  #sum = 0;

  constructor(unit: Unit, most: number, windowMs: number, parts: number) {
    this.unit = unit;
    this.#most = most;
    this.#partMs = windowMs / parts;
    this.#parts = parts;
  }

  /** When so much may be sent. */
  freeAtMs(amount: number, nowMs: number): number {
    this.#forget(nowMs);
    let missing = this.#sum + Math.min(amount, this.#most) - this.#most;
    if (missing <= 0) return nowMs;
    let freeAtMs = nowMs;
    for (const [part, count] of this.#counts) {
      freeAtMs = (part + this.#parts + 1) * this.#partMs;
      missing -= count;
      if (missing <= 0) break;
    }
    return freeAtMs;
  }

  sent(amount: number, nowMs: number): void {
    const part = Math.floor(nowMs / this.#partMs);
    this.#counts.set(part, (this.#counts.get(part) ?? 0) + amount);
    this.#sum += amount;
  }

  /** Parts are in the order of time, unless the clock was set back. */
  #forget(nowMs: number): void {
    const present = Math.floor(nowMs / this.#partMs);
    for (const [part, count] of this.#counts) {
      if (part >= present - this.#parts && part <= present) return;
      this.#counts.delete(part);
      this.#sum -= count;
    }
  }
}
