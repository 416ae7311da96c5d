/**
 * What an announced limit is, learned from its resets: a window, which is full again at its reset, a bucket, which is
 * filled all the time, or a window that slides: what was sent comes back a window later.
 *
 * The reset of a window stays where it is until it has passed. The next one is a whole window later, and that window is
 * full. A report that says otherwise shows that the limit is no window.
 */

import type { BucketReport, Unit } from './announced-headers.ts';

/** A request that was sent: all requests and estimated tokens up to it. */
export type Send = Readonly<Record<Unit, number>>;

/** A request that was answered. `send`: null if it was sent before the limit was known. */
export interface AnsweredRequest {
  readonly send: Send | null;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly wasRefused: boolean;
}

/** A report with a reset, and its request. */
export interface Heard extends BucketReport, AnsweredRequest {
  readonly resetMs: number;
}

/** Resets may be off by this share of the window, and more if they are rounded up to seconds. */
const NOISE = { share: 0.03, roundedMs: 1_000 } as const;
/** The next window ends at least this share of a window later. So much of it remains before this share of it has passed. */
const NEXT = { later: 0.75, remaining: 0.75, young: 0.25 } as const;
/** A limit is another one now if its reset is earlier than before by this share of the window. */
const CHANGED = 0.5;
/** Expects a little less than the announced refill: a sliding window that a server only approximates gives back less. */
const CAUTION = 0.95;

export class LimitModel {
  kind: 'window' | 'bucket' | 'sliding' = 'window';
  /** The longest time until the limit is as large as it can be, and what was missing then; 0: no reset is known yet. */
  windowMs = 0;
  #missingOfWindow = 0;
  /** The last reset. A report describes the moment at which its request arrived or, such as a date, was answered. */
  resetAtMs: number = -Infinity;
  #last: Heard | null = null;
  /** The latest moment of the reset that reports of this window allow. */
  #latestMs = Infinity;
  /** How much resets have differed from whole windows, if reports describe one moment or the other. */
  readonly #differedMs = { sentMs: 0, answeredMs: 0 };
  /** The most that was missing, and the reported time until it is back. */
  #missing = 0;
  #missingMs = 1;

  /** What comes back evenly. */
  refillPerMs(limit: number): number {
    return CAUTION * Math.min(limit / this.windowMs, Math.max(1, this.#missing) / this.#missingMs);
  }

  /** The moment that the reports describe; null: it is not known. */
  get moment(): 'sentMs' | 'answeredMs' | null {
    const { sentMs, answeredMs } = this.#differedMs;
    if (this.kind !== 'window' || sentMs < answeredMs / 2) return 'sentMs';
    return answeredMs < sentMs / 2 ? 'answeredMs' : null;
  }

  /**
   * Learns from a report. `spent`: what was sent since the last one. Returns whether both are about the same window;
   * null: it is older than the last one.
   */
  learn(heard: Heard, limit: number, spent: number): boolean | null {
    const { sentMs, answeredMs, resetMs, remaining } = heard;
    const last = this.#last ?? heard;
    if ((heard.send?.requests ?? 0) < (last.send?.requests ?? 0)) {
      this.windowMs = Math.max(this.windowMs, resetMs);
      return null;
    }
    this.#last = heard;
    const latestMs = answeredMs + resetMs;
    const roundedMs = resetMs % 1_000 === 0 ? NOISE.roundedMs : 0;
    const toleranceMs = NOISE.share * this.windowMs + roundedMs;
    const isChanged = latestMs < this.resetAtMs - Math.max(toleranceMs, CHANGED * this.windowMs);
    if (isChanged) [this.kind, this.windowMs, this.#missing] = ['window', 0, 0];
    const missing = limit - remaining;
    if (resetMs > this.windowMs) [this.windowMs, this.#missingOfWindow] = [resetMs, missing];
    if (missing >= this.#missing) [this.#missing, this.#missingMs] = [missing, Math.max(1, resetMs)];
    const isNext = latestMs >= this.resetAtMs + NEXT.later * this.windowMs;
    const isLater = sentMs + resetMs > this.#latestMs + toleranceMs;
    const isYoung = sentMs < this.resetAtMs + NEXT.young * this.windowMs;
    const isNoWindow = isNext ? isYoung && remaining < NEXT.remaining * limit - spent : isLater;
    if (this.kind === 'window' && isNoWindow) this.kind = isNext ? 'sliding' : 'bucket';
    // Of a bucket the reset is later, the more is missing.
    if (this.kind === 'bucket' && missing > 2 * this.#missingOfWindow && resetMs > roundedMs) this.kind = 'sliding';
    const isSame = this.kind === 'window' && !isNext && !isChanged;
    for (const moment of ['sentMs', 'answeredMs'] as const) {
      const apartMs = heard[moment] + resetMs - last[moment] - last.resetMs;
      this.#differedMs[moment] += Math.abs(apartMs - this.windowMs * Math.round(apartMs / this.windowMs));
    }
    this.#latestMs = isSame ? Math.min(latestMs, this.#latestMs) : latestMs;
    const resetAtMs = heard[this.moment ?? 'answeredMs'] + resetMs;
    // Resets that are rounded up are too late, the earliest of them the least, unless it has passed.
    const isEarliest = isSame && roundedMs > 0 && this.resetAtMs > sentMs;
    this.resetAtMs = isEarliest ? Math.min(resetAtMs, this.resetAtMs) : resetAtMs;
    return isSame;
  }
}
