/**
 * The rates that the user has stated, kept so that no limiter refuses: a window of the clock, a window that slides, a
 * bucket of any size, also one that holds a single request, and a minute that is enforced as seconds. Requests evenly
 * apart are the only schedule that all of them admit.
 */

import type { Unit } from './announced-headers.ts';
import { DAY_MS, DAY_PART_MS, type StoreRequest } from './store.ts';

/**
 * Requests are further apart than the limit allows, because some travel faster than others. A call is told a moment by
 * the first factor; one that was sent late may be followed at a distance by the second, so the schedule catches up.
 */
const APART = { announced: 1.025, least: 1.015 } as const;

/**
 * A request that is refused although its distance was kept shows that requests travel at different speeds, or that the
 * server only approximates its count; or that the estimates of tokens are too low. So a unit counts more after a refusal:
 * so many times as much, and so much more. Not more than `most`, because other clients or chance may cause refusals that no
 * distance prevents.
 */
const WEIGHT = { requests: { times: 1, plus: 0.05, most: 1.3 }, tokens: { times: 1.5, plus: 0, most: 8 } } as const;
/** Twenty successes undo a refusal of requests; the effect of one of tokens is halved after this time. */
const SERVED = 0.0025;
const HALVED_MS = 600_000;

/** A number of requests or tokens per time, evenly spaced. */
export class Rate {
  readonly #unit: Unit;
  /** The distance that one unit keeps from the next. */
  readonly #unitMs: number;
  readonly #burst: number;
  #nextMs: number = -Infinity;
  /** How much a unit counts since the last refusal. */
  #weight = 1;
  #refusedMs = 0;
  /** Whether a request was served since the last refusal: in an outage only the first refusal counts. */
  #hasServed = true;

  /** `burst`: how many units may be sent at once after a pause */
  constructor(unit: Unit, perMs: number, burst = 1) {
    this.#unit = unit;
    this.#unitMs = 1 / perMs;
    this.#burst = burst;
  }

  /** When the next request may be sent; when it is expected to be, after others of so many tokens with an announced moment. */
  freeAtMs(nowMs: number, announced = 0, tokens = 0): number {
    const slackMs = (this.#burst - 1) * this.#unitMs * APART.least;
    const announcedMs = announced * this.#amountOf(tokens, nowMs) * this.#unitMs * APART.announced;
    return Math.max(this.#nextMs - slackMs, nowMs) + announcedMs;
  }

  /** The rate as a store keeps it for a fleet. */
  shared(tokens: number, nowMs: number): StoreRequest['rates'][number] {
    const unitMs = this.#unitMs * APART.announced;
    return [Math.max(1, this.#amountOf(tokens, nowMs)) * unitMs, (this.#burst - 1) * unitMs];
  }

  /** `times`: how often the request counts */
  sent(tokens: number, times: number, nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs) + times * this.#distanceMs(tokens, nowMs);
  }

  /** A request that was sent has left this process only now. */
  left(tokens: number, nowMs: number): void {
    this.#nextMs = Math.max(this.#nextMs, nowMs + this.#distanceMs(tokens, nowMs));
  }

  served(): void {
    this.#hasServed = true;
    if (this.#unit === 'requests') this.#weight = Math.max(1, this.#weight - SERVED);
  }

  /** `restMs`: for how long a server that counts tokens refuses, if it is that limit that was exceeded */
  refused(restMs: number, nowMs: number): void {
    if (this.#hasServed) {
      const { times, plus, most } = WEIGHT[this.#unit];
      this.#weight = Math.min(most, times * this.#amountOf(1, nowMs) + plus);
      this.#refusedMs = nowMs;
      this.#hasServed = false;
    }
    if (this.#unit === 'tokens') this.#nextMs = Math.max(this.#nextMs, nowMs + restMs);
  }

  #distanceMs(tokens: number, nowMs: number): number {
    return this.#amountOf(tokens, nowMs) * this.#unitMs * APART.least;
  }

  /** What a request counts. */
  #amountOf(tokens: number, nowMs: number): number {
    if (this.#unit === 'requests') return this.#weight;
    const left = 0.5 ** (Math.max(0, nowMs - this.#refusedMs) / HALVED_MS);
    return tokens * (1 + (this.#weight - 1) * left);
  }
}

/** The requests within any 24 hours. Counted in parts of them, and so a part too long. */
export class DayCount {
  readonly perDay: number;
  readonly #parts: { readonly untilMs: number; count: number }[] = [];
  #sum = 0;

  constructor(perDay: number) {
    this.perDay = perDay;
  }

  /** When so many may be sent. */
  freeAtMs(count: number, nowMs: number): number {
    for (let [first] = this.#parts; first !== undefined && first.untilMs <= nowMs; [first] = this.#parts) {
      this.#sum -= first.count;
      this.#parts.shift();
    }
    let tooMany = this.#sum + Math.min(count, this.perDay) - this.perDay;
    let freeAtMs = nowMs;
    for (const part of this.#parts) {
      if (tooMany <= 0) break;
      tooMany -= part.count;
      freeAtMs = part.untilMs;
    }
    return freeAtMs;
  }

  sent(count: number, nowMs: number): void {
    const untilMs = Math.ceil(nowMs / DAY_PART_MS) * DAY_PART_MS + DAY_MS;
    const last = this.#parts.at(-1);
    this.#sum += count;
    if (last?.untilMs === untilMs) last.count += count;
    else this.#parts.push({ untilMs, count });
  }
}
