/** One announced limit of a server: how much remains now, and when there is more. */

import type { BucketReport } from './announced-headers.ts';
import { type AnsweredRequest, type Heard, LimitModel } from './limit-model.ts';
import type { Send, Sends, Unit } from './sends.ts';
import { SlidingLog } from './sliding-log.ts';

/**
 * Requests are not spread while more than this share of a bucket and more than this number of requests remain. With a
 * larger share calls wait without need; without the number, small limits are used up.
 */
const PLENTY = { share: 0.25, requests: 5 } as const;
/** The share of the earlier knowledge about costs that is kept after a report. */
const REMEMBERED = 0.95;
/** Expects a little less than the measured refill: a sliding window that a server only approximates gives back less. */
const CAUTION = 0.95;
/**
 * A single request may cost twice its estimate, even if the total is right. What a window still holds at its end is lost,
 * so the reserve is at most a small share of it.
 */
const RESERVE = { costs: 2, share: 0.5, shareOfWindow: 0.125 } as const;
/** A limit is another one now if its reset is earlier than before by this share of the window, and not by rounding. */
const CHANGED = { share: 0.5, ms: 2_100 } as const;
/** The reset of a window is the earliest of those that are within this time, because resets are rounded up to seconds. */
const ROUNDED_MS = 1_100;
/**
 * What is announced cannot be right if a bucket whose reset was so far away is given back this share of its limit at once,
 * before any request that it has counted could have left a window that long: a clock is ahead, or the unit is another one.
 */
const GIVEN_BACK = { share: 0.5, ms: 60_000 } as const;
/** After this many responses that do not mention a bucket it may be gone. */
const RESPONSES_WITHOUT = 5;

/** The intervals between requests: one until a moment, and one after it. 0: there is plenty. */
export interface Intervals {
  readonly presentMs: number;
  readonly untilMs: number;
  readonly laterMs: number;
}

const NO_INTERVALS: Intervals = { presentMs: 0, untilMs: Infinity, laterMs: 0 };

export class Bucket {
  readonly #unit: Unit;
  readonly #sends: Sends;
  #model: LimitModel;
  #limit: number;
  /** The rest at `#atMs`. */
  #remaining: number;
  #atMs = 0;
  /** When a window is full again, and whether no report of the present window has confirmed that. */
  #resetAtMs = -Infinity;
  #isAssumed = false;
  #last: Heard | null = null;
  readonly #log = new SlidingLog();
  /** The real cost of requests, and their estimated cost. */
  #taken = 0;
  #estimated = 0;
  /** When the last refused request was sent, which cost nothing. */
  #refusedMs = -Infinity;
  #heardMs = -Infinity;
  #firstHeardMs = Infinity;
  #responsesWithout = 0;

  constructor({ unit, remaining }: BucketReport, sends: Sends) {
    this.#unit = unit;
    this.#sends = sends;
    this.#model = new LimitModel();
    this.#limit = remaining + 1;
    this.#remaining = remaining;
  }

  spend(tokens: number, nowMs: number): void {
    this.#passTime(nowMs);
    const cost = this.#costOf(tokens);
    this.#remaining -= cost;
    this.#log.sent(cost, nowMs, this.#model.windowMs);
  }

  hear(report: BucketReport, request: AnsweredRequest): void {
    const { remaining, limit, resetMs } = report;
    const { answeredMs, sentMs } = request;
    this.#limit = Math.max(remaining, limit ?? Math.max(remaining + 1, this.#limit));
    this.#heardMs = answeredMs;
    this.#responsesWithout = 0;
    if (request.wasRefused) {
      this.#refusedMs = Math.max(sentMs, this.#refusedMs);
      if (this.#unit === 'requests') this.#log.refused(1, sentMs);
    }
    if (resetMs === null || (resetMs === 0 && this.#model.windowMs === 0)) {
      this.#remaining = remaining - this.#spentSince(request.send);
      return;
    }
    const heard: Heard = { ...report, ...request, resetMs, totalWhenAnswered: this.#sends.total };
    if (!this.#learn(heard)) return;
    this.#last = heard;
    if (this.#model.kind === 'window') this.#hearWindow(heard);
    else this.#hearGradual(heard);
  }

  /** Whether a report shows that what was announced before cannot be right. */
  contradicts({ remaining, limit, resetMs }: BucketReport, { answeredMs }: AnsweredRequest): boolean {
    const last = this.#last;
    this.#firstHeardMs = Math.min(this.#firstHeardMs, answeredMs);
    if (last === null || resetMs === null || limit === null || limit !== last.limit) return false;
    const leftMs = last.resetMs - (answeredMs - last.answeredMs);
    return (
      remaining - last.remaining >= GIVEN_BACK.share * limit &&
      leftMs > GIVEN_BACK.ms &&
      answeredMs - this.#firstHeardMs < last.resetMs
    );
  }

  /** Learns what the limit is and what requests cost. Returns whether the report is news: an older one may come later. */
  #learn(heard: Heard): boolean {
    const last = this.#last;
    const spentSince = ({ send }: Heard): number => this.#spentSince(send);
    this.#model.learn(heard, this.#limit, spentSince);
    if (last === null) return true;
    const isOlder = this.#totalAt(heard, 'requests') < this.#totalAt(last, 'requests');
    const laterMs = this.#model.resetAtMs(heard) - this.#model.resetAtMs(last);
    if (isOlder && laterMs < this.#model.windowMs / 2) return false;
    if (laterMs < -Math.max(CHANGED.ms, CHANGED.share * this.#model.windowMs)) {
      // The reset of a limit only moves forward, so what was learned belongs to another limit, or to a wrong report.
      this.#model = new LimitModel();
      this.#model.learn(heard, this.#limit, spentSince);
      this.#resetAtMs = -Infinity;
    } else this.#learnCost(last, heard);
    return true;
  }

  /** A response did not mention the bucket. Returns whether the server has ceased to announce it. */
  miss(sentMs: number): boolean {
    this.#responsesWithout += 1;
    return this.#responsesWithout >= RESPONSES_WITHOUT && sentMs > this.#heardMs + this.#model.windowMs;
  }

  #hearWindow(heard: Heard): void {
    const { windowMs } = this.#model;
    const resetAtMs = this.#model.resetAtMs(heard);
    const windows = Math.round((this.#resetAtMs - resetAtMs) / windowMs);
    if (windows >= 1 && heard.sentMs < this.#resetAtMs - windowMs) {
      // A report of an earlier window shows when the present one ends.
      this.#resetAtMs = resetAtMs + windows * windowMs;
    } else {
      const isRounded =
        !this.#isAssumed &&
        heard.resetMs % 1_000 === 0 &&
        resetAtMs > this.#resetAtMs &&
        resetAtMs < this.#resetAtMs + ROUNDED_MS;
      this.#resetAtMs = isRounded ? this.#resetAtMs : resetAtMs;
      this.#remaining = heard.remaining - this.#spentSince(this.#model.totalAt(heard));
      this.#isAssumed = false;
    }
    this.#passTime(heard.answeredMs);
  }

  #hearGradual({ sentMs, answeredMs, remaining, send }: Heard): void {
    this.#passTime(answeredMs);
    const { kind, windowMs } = this.#model;
    const spent = this.#spentSince(send);
    if (kind === 'bucket') {
      this.#remaining = remaining + Math.min(0, this.#refilled(sentMs, answeredMs) - spent);
      return;
    }
    this.#remaining = Math.min(this.#limit, remaining - spent + this.#log.leftSince(sentMs, windowMs));
    this.#log.keep(this.#limit - this.#remaining);
  }

  /** The intervals between requests of this size, as far as they are known at `nowMs`. */
  intervals(tokens: number, nowMs: number): Intervals {
    this.#passTime(nowMs);
    const { kind, windowMs } = this.#model;
    if (windowMs === 0) return NO_INTERVALS;
    const cost = Math.min(Math.max(this.#costOf(tokens), 1e-9), this.#limit);
    const presentMs = this.#presentIntervalMs(cost, nowMs);
    const untilMs = kind === 'window' ? this.#resetAtMs : Infinity;
    return { presentMs, untilMs, laterMs: (cost * windowMs) / this.#limit };
  }

  #presentIntervalMs(cost: number, nowMs: number): number {
    const { kind, windowMs, isMomentKnown } = this.#model;
    const isPlenty = this.#remaining > Math.max(PLENTY.share * this.#limit, PLENTY.requests * cost);
    if (isPlenty && (kind !== 'window' || isMomentKnown || !this.#isAssumed)) return 0;
    const remaining = Math.max(this.#remaining, cost);
    if (kind !== 'window') return cost / (remaining / windowMs + this.#refillPerMs);
    return (cost / remaining) * Math.min(windowMs, Math.max(1, this.#resetAtMs - nowMs));
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
    if (kind === 'window') return Math.min(this.#resetAtMs, nowMs + windowMs);
    const missing = Math.max(needed, 1) - this.#remaining;
    if (kind === 'bucket') return nowMs + Math.min(missing / this.#refillPerMs, windowMs);
    const sentMs = this.#log.sentMs(missing) ?? nowMs;
    const ofOthersMs = (missing * windowMs) / Math.max(1, this.#ofOthers());
    return Math.max(nowMs + 1, Math.min(sentMs + windowMs, nowMs + ofOthersMs, nowMs + windowMs));
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

  /** The cost of the requests that were sent after this total. */
  #spentSince(total: Send | null): number {
    const amount = this.#sends.total[this.#unit] - (total?.[this.#unit] ?? 0);
    return this.#unit === 'requests' ? amount : this.#realTokens(amount);
  }

  #totalAt(heard: Heard, unit: Unit): number {
    return this.#model.totalAt(heard)?.[unit] ?? 0;
  }

  #passTime(nowMs: number): void {
    const { kind, windowMs } = this.#model;
    if (windowMs === 0) return;
    if (kind === 'bucket') {
      this.#remaining = Math.min(this.#limit, this.#remaining + this.#refilled(this.#atMs, nowMs));
    } else if (kind === 'sliding') {
      const ofOthers = (this.#ofOthers() * Math.max(0, nowMs - this.#atMs)) / windowMs;
      const left = this.#log.leave(nowMs, windowMs) + ofOthers;
      this.#remaining = Math.min(this.#limit, this.#remaining + left);
    } else if (nowMs >= this.#resetAtMs) {
      this.#remaining = this.#limit;
      this.#isAssumed = true;
      this.#resetAtMs += Math.ceil((nowMs - this.#resetAtMs + 1) / windowMs) * windowMs;
    }
    this.#atMs = nowMs;
  }

  /** What others have used of a sliding limit; it is expected to leave evenly. */
  #ofOthers(): number {
    return Math.max(0, this.#limit - this.#remaining - this.#log.sum);
  }

  get #refillPerMs(): number {
    return CAUTION * this.#model.refillPerMs(this.#limit);
  }

  /** What a limit that is no window gets back between two moments. */
  #refilled(fromMs: number, untilMs: number): number {
    return this.#refillPerMs * (untilMs - fromMs);
  }

  /** Learns the real cost per estimate from two reports of a window. */
  #learnCost(last: Heard, heard: Heard): void {
    const { kind, windowMs } = this.#model;
    const isSameWindow = Math.abs(this.#model.resetAtMs(heard) - this.#model.resetAtMs(last)) < windowMs / 2;
    const wasRefused = this.#refusedMs >= Math.min(last.sentMs, heard.sentMs);
    if (this.#unit === 'requests' || wasRefused || (kind === 'window' && !isSameWindow)) return;
    if (last.send === null || heard.send === null) return;
    const refilled = kind === 'window' ? 0 : this.#refilled(last.sentMs, heard.sentMs) / CAUTION;
    this.#taken = REMEMBERED * this.#taken + last.remaining - heard.remaining + refilled;
    this.#estimated = REMEMBERED * this.#estimated + this.#totalAt(heard, 'tokens') - this.#totalAt(last, 'tokens');
  }
}
