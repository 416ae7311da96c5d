/** One announced limit of a server: how much remains now, and when there is more. */

import type { BucketReport, Unit } from './announced-headers.ts';
import { type AnsweredRequest, type Heard, LimitModel, type Send } from './limit-model.ts';
import { PARTS, SlidingLog } from './sliding-log.ts';

/**
 * Requests are not spread while more than this share of a bucket and more than this number of requests remain. With a
 * larger share calls wait without need; without the number, small limits are used up.
 */
const PLENTY = { share: 0.25, requests: 5 } as const;
/** The share of the earlier knowledge about costs that is kept after a report: some 20 reports are remembered. */
const REMEMBERED = 0.95;
/**
 * A single request may cost twice its estimate, even if the total is right. What a window still holds at its end is lost,
 * so the reserve is at most a small share of it.
 */
const RESERVE = { costs: 2, share: 0.5, shareOfWindow: 0.125 } as const;
/**
 * What is announced cannot be right if a bucket whose reset was so far away is given back this share of its limit at once:
 * a clock is ahead, or the unit is another one.
 */
const GIVEN_BACK = { share: 0.5, ms: 60_000 } as const;

/** The intervals between requests: one until a moment, and one after it. 0: there is plenty. */
export interface Intervals {
  readonly presentMs: number;
  readonly untilMs: number;
  readonly laterMs: number;
}

const NO_INTERVALS: Intervals = { presentMs: 0, untilMs: Infinity, laterMs: 0 };

export class Bucket {
  readonly #unit: Unit;
  readonly #model = new LimitModel();
  readonly #log = new SlidingLog();
  #limit: number;
  /** The rest at `#atMs`. */
  #remaining: number;
  #atMs = 0;
  #last: Heard | null = null;
  #heardMs = -Infinity;
  /** The real cost of requests, and their estimated cost. */
  #taken = 0;
  #estimated = 0;
  /** When the last refused request was sent, which cost nothing. */
  #refusedMs = -Infinity;

  constructor({ unit, remaining }: BucketReport) {
    this.#unit = unit;
    this.#limit = remaining + 1;
    this.#remaining = remaining;
  }

  spend(tokens: number, nowMs: number): void {
    this.#passTime(nowMs);
    const cost = this.#costOf(tokens);
    this.#remaining -= cost;
    this.#log.sent(cost, nowMs, this.#model.windowMs);
  }

  /** Takes a report. `total`: all that was sent until now */
  hear(report: BucketReport, request: AnsweredRequest, total: Send): void {
    const { remaining, limit, resetMs } = report;
    const { answeredMs, sentMs, send } = request;
    const last = this.#last;
    this.#limit = Math.max(remaining, limit ?? Math.max(remaining + 1, this.#limit));
    this.#heardMs = answeredMs;
    if (request.wasRefused) {
      this.#refusedMs = Math.max(sentMs, this.#refusedMs);
      if (this.#unit === 'requests') this.#log.refused(sentMs);
    }
    if (resetMs === 0) return;
    if (resetMs !== null) {
      const heard: Heard = { ...report, ...request, resetMs };
      const isSameWindow = this.#model.learn(heard, this.#limit, this.#spent(last?.send ?? null, total));
      if (isSameWindow === null) return;
      if (last !== null && (isSameWindow || this.#model.kind !== 'window')) this.#learnCost(last, heard);
      this.#last = heard;
      // What remained in a window that is over says nothing about the present one.
      if (this.#model.kind === 'window' && this.#model.resetAtMs <= answeredMs) return this.#passTime(answeredMs);
    }
    const spent = this.#model.moment === 'answeredMs' ? 0 : this.#spent(send, total);
    const { kind, windowMs } = this.#model;
    // Of what leaves the log within its first part, the report may have counted nothing any more.
    const fromMs = kind === 'sliding' ? Math.min(answeredMs, sentMs + windowMs / PARTS) : sentMs;
    this.#remaining = Math.min(this.#limit, remaining + this.#back(fromMs, answeredMs) - spent);
    this.#atMs = answeredMs;
  }

  /** Whether a report shows that what was announced before cannot be right. */
  contradicts({ remaining, limit, resetMs }: BucketReport, { sentMs, answeredMs }: AnsweredRequest): boolean {
    const last = this.#last;
    // Answers overtake each other.
    if (last === null || sentMs <= last.sentMs || resetMs === null || limit === null || limit !== last.limit)
      return false;
    const leftMs = last.resetMs - (answeredMs - last.answeredMs);
    return leftMs > GIVEN_BACK.ms && remaining - last.remaining >= GIVEN_BACK.share * limit;
  }

  /** Whether the server has ceased to announce the bucket: a window is over, and a later response does not mention it. */
  isGone(sentMs: number): boolean {
    return sentMs > this.#heardMs + this.#model.windowMs;
  }

  /** The intervals between requests of this size, as far as they are known at `nowMs`. */
  intervals(tokens: number, nowMs: number): Intervals {
    this.#passTime(nowMs);
    const { kind, windowMs } = this.#model;
    if (windowMs === 0) return NO_INTERVALS;
    const cost = Math.min(Math.max(this.#costOf(tokens), 1e-9), this.#limit);
    const untilMs = kind === 'window' ? this.#resetAtMs(nowMs) : Infinity;
    return { presentMs: this.#presentIntervalMs(cost, nowMs), untilMs, laterMs: (cost * windowMs) / this.#limit };
  }

  #presentIntervalMs(cost: number, nowMs: number): number {
    const { kind, windowMs, resetAtMs } = this.#model;
    const isPlenty = this.#remaining > Math.max(PLENTY.share * this.#limit, PLENTY.requests * cost);
    // While no report has confirmed that a window is full again, a crowd might find that it is not.
    const isConfirmed = kind !== 'window' || nowMs < resetAtMs;
    if (isPlenty && isConfirmed) return 0;
    const remaining = Math.max(this.#remaining, cost);
    if (kind !== 'window') return cost / (remaining / windowMs + this.#model.refillPerMs(this.#limit));
    return (cost / remaining) * Math.min(windowMs, Math.max(1, this.#resetAtMs(nowMs) - nowMs));
  }

  /** See {@link Announced.emptyUntilMs}. It is never later than one window from now. */
  emptyUntilMs(tokens: number, nowMs: number): number {
    this.#passTime(nowMs);
    const { kind, windowMs } = this.#model;
    const cost = Math.min(this.#costOf(tokens), this.#limit);
    const largest = (kind === 'window' ? RESERVE.shareOfWindow : RESERVE.share) * this.#limit;
    const needed = this.#unit === 'tokens' ? Math.max(cost, Math.min(RESERVE.costs * cost, largest)) : cost;
    const isEnough = cost === 0 ? this.#remaining > 0 : this.#remaining >= needed;
    if (isEnough || this.#remaining >= this.#limit || windowMs === 0) return 0;
    const untilMs = this.#backMs(Math.max(needed, 1) - this.#remaining, nowMs);
    return Math.max(nowMs + 1, Math.min(untilMs, nowMs + windowMs));
  }

  /** Whether the last report said that less remains than a request costs, if it came before a moment. */
  isReportedEmpty(tokens: number, heardBeforeMs: number): boolean {
    const last = this.#last;
    return last !== null && last.answeredMs < heardBeforeMs && last.remaining < Math.max(1, this.#costOf(tokens));
  }

  #costOf(tokens: number): number {
    return this.#unit === 'requests' ? 1 : this.#realTokens(tokens);
  }

  #realTokens(estimate: number): number {
    if (this.#estimated <= 0) return estimate;
    return estimate * Math.min(10, Math.max(0.1, this.#taken / this.#estimated));
  }

  /** The cost of the requests that were sent after this one. */
  #spent(send: Send | null, total: Send): number {
    const amount = total[this.#unit] - (send?.[this.#unit] ?? 0);
    return this.#unit === 'requests' ? amount : this.#realTokens(amount);
  }

  #passTime(nowMs: number): void {
    if (this.#model.windowMs > 0)
      this.#remaining = Math.min(this.#limit, this.#remaining + this.#back(this.#atMs, nowMs));
    this.#atMs = nowMs;
  }

  /** The end of the present window. */
  #resetAtMs(nowMs: number): number {
    const { resetAtMs, windowMs } = this.#model;
    if (nowMs < resetAtMs) return resetAtMs;
    return resetAtMs + windowMs * (Math.floor((nowMs - resetAtMs) / windowMs) + 1);
  }

  /** How much comes back from one moment to another. What others have sent leaves when ours does, or evenly if it is the most. */
  #back(fromMs: number, untilMs: number): number {
    const { kind, windowMs } = this.#model;
    if (kind === 'window') return this.#resetAtMs(fromMs) <= untilMs ? Infinity : 0;
    if (kind === 'bucket') return this.#model.refillPerMs(this.#limit) * (untilMs - fromMs);
    const leaves = this.#log.between(fromMs - windowMs, untilMs - windowMs);
    const counted = this.#log.between(fromMs - windowMs, fromMs);
    return this.#used * (2 * counted < this.#used ? (untilMs - fromMs) / windowMs : leaves / counted);
  }

  /** When so much has come back. */
  #backMs(amount: number, nowMs: number): number {
    const { kind, windowMs } = this.#model;
    if (kind === 'window') return this.#resetAtMs(nowMs);
    if (kind === 'bucket') return nowMs + amount / this.#model.refillPerMs(this.#limit);
    const counted = this.#log.between(nowMs - windowMs, nowMs);
    if (2 * counted < this.#used) return nowMs + (amount / this.#used) * windowMs;
    return (this.#log.reachedMs((amount / this.#used) * counted, nowMs - windowMs) ?? nowMs) + windowMs;
  }

  get #used(): number {
    return Math.max(1, this.#limit - this.#remaining);
  }

  /** Learns the real cost per estimate from two reports of a window. */
  #learnCost(last: Heard, heard: Heard): void {
    const wasRefused = this.#refusedMs >= last.sentMs;
    if (this.#unit === 'requests' || wasRefused || last.send === null || heard.send === null) return;
    const refilled = this.#model.kind === 'window' ? 0 : this.#back(last.sentMs, heard.sentMs);
    this.#taken = REMEMBERED * this.#taken + last.remaining - heard.remaining + refilled;
    this.#estimated = REMEMBERED * this.#estimated + heard.send.tokens - last.send.tokens;
  }
}
