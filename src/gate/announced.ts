/** The limits that a server announces with its responses. A client that obeys them need not be refused at all. */

import type { BucketReport } from './announced-headers.ts';
import { Bucket } from './bucket.ts';
import type { AnsweredRequest } from './limit-model.ts';
import { type Send, Sends } from './sends.ts';

/** After this time without a report the buckets are unknown. */
const FORGOTTEN_MS = 600_000;
/** The names are the server's, so there might be a new one in every response. */
const MOST_BUCKETS = 16;

/**
 * Headers can be wrong: a clock that is ahead, milliseconds for seconds, a limit that is not enforced. So a request is
 * sent early as a check when calls have been held for so long, and again after twice the time if it was refused. Holds
 * of less than `holdMs` do not count; one that was `confirmed` so often is believed. Headers that are contradicted are not believed for `distrustedMs`.
 */
const CHECKS = {
  firstMs: 10_000,
  growth: 2,
  longestMs: 60_000,
  holdMs: 2_000,
  confirmed: 2,
  distrustedMs: 600_000,
} as const;

/** The announced buckets of a limit. */
export class Announced {
  readonly #buckets = new Map<string, Bucket>();
  readonly #sends = new Sends();
  /** The names of buckets that were contradicted, and until when they are not believed. */
  readonly #distrusted = new Map<string, number>();
  /** The time for which calls have been held since the last check, and up to which moment it is counted. */
  #heldMs = 0;
  #heldUntilMs = 0;
  #checkAfterMs: number = CHECKS.firstMs;
  /** The end of the hold that was checked last, and when it may be checked again. */
  #checkedUntilMs = Number.NEGATIVE_INFINITY;
  #nextCheckMs = Number.NEGATIVE_INFINITY;
  /** The checks of that hold that were refused. */
  #confirmed = 0;
  /** The request that checks, and the buckets that it contradicts if it succeeds. */
  #check: { readonly send: Send; readonly names: readonly string[]; readonly sentMs: number } | null = null;
  #heardMs = Number.NEGATIVE_INFINITY;

  /** Whether the last report is so old that the buckets are unknown. */
  isForgotten(nowMs: number): boolean {
    return nowMs - this.#heardMs > FORGOTTEN_MS;
  }

  /** Counts a request that is sent. Returns its record, for its report; null: no limit is announced. */
  spend(tokens: number, nowMs: number): Send | null {
    if (this.#buckets.size === 0) return null;
    const empty = this.#emptyNames(tokens, nowMs);
    for (const bucket of this.#buckets.values()) bucket.spend(tokens, nowMs);
    const send = this.#sends.add(tokens);
    if (empty.length > 0 && !this.isChecking(nowMs)) this.#beginCheck(send, empty, nowMs);
    return send;
  }

  /** The buckets that hold a request for long by what the server says, and not only by what was sent since. */
  #emptyNames(tokens: number, nowMs: number, heardBeforeMs: number = nowMs): readonly string[] {
    const names: string[] = [];
    for (const [name, bucket] of this.#buckets)
      if (bucket.isReportedEmpty(tokens, heardBeforeMs) && bucket.emptyUntilMs(tokens, nowMs) >= nowMs + CHECKS.holdMs)
        names.push(name);
    return names;
  }

  /** Whether any bucket is known. */
  get isHeard(): boolean {
    return this.#buckets.size > 0;
  }

  /** Whether a request is sent although nothing remains, to check that. */
  mayCheck(nowMs: number, tokens: number): boolean {
    if (this.isChecking(nowMs) || nowMs < this.#nextCheckMs) return false;
    if (this.#emptyNames(tokens, nowMs).length === 0) return false;
    const untilMs = this.emptyUntilMs(nowMs, tokens);
    if (nowMs < this.#checkedUntilMs) return true;
    this.#heldMs += Math.max(0, untilMs - Math.max(nowMs, this.#heldUntilMs));
    this.#heldUntilMs = Math.max(this.#heldUntilMs, untilMs);
    return this.#heldMs >= this.#checkAfterMs;
  }

  /** Whether the result of a check is expected. */
  isChecking(nowMs: number): boolean {
    return this.#check !== null && nowMs - this.#check.sentMs < CHECKS.firstMs;
  }

  /** Whether a long hold is only expected by what was sent since the last report, or is being checked. */
  isUncertain(nowMs: number, tokens: number): boolean {
    if (this.emptyUntilMs(nowMs, tokens) < nowMs + CHECKS.holdMs) return false;
    return this.isChecking(nowMs) || this.#emptyNames(tokens, nowMs, nowMs + 1).length === 0;
  }

  /** When a hold of this length is checked again, if that is soon; else null, and the hold is believed. */
  nextCheckMs(untilMs: number): number | null {
    const isExpected =
      this.#nextCheckMs < untilMs && untilMs <= this.#checkedUntilMs && this.#confirmed < CHECKS.confirmed;
    return isExpected ? this.#nextCheckMs : null;
  }

  /** A request is sent as a check; called before {@link spend}. */
  #beginCheck(send: Send, names: readonly string[], nowMs: number): void {
    this.#check = { send, names, sentMs: nowMs };
    if (this.#checkedUntilMs !== this.#heldUntilMs) this.#confirmed = 0;
    this.#checkedUntilMs = this.#heldUntilMs;
    this.#heldMs = 0;
  }

  /** Takes the result of a check. Returns whether announcements were contradicted. */
  #endCheck(request: AnsweredRequest, hintMs: number): boolean {
    const check = this.#check;
    if (check === null || request.send !== check.send) return false;
    this.#check = null;
    if (request.wasRefused) {
      this.#confirmed += 1;
      this.#checkAfterMs *= CHECKS.growth;
      const gapMs = Math.min(this.#checkAfterMs, CHECKS.longestMs);
      this.#nextCheckMs = request.answeredMs + (hintMs > 0 ? Math.min(hintMs, gapMs) : gapMs);
      return false;
    }
    for (const name of check.names) {
      this.#buckets.delete(name);
      this.#distrusted.set(name, request.answeredMs + CHECKS.distrustedMs);
    }
    this.#heldUntilMs = 0;
    this.#checkAfterMs = CHECKS.firstMs;
    return true;
  }

  #isTrusted(name: string, nowMs: number): boolean {
    const untilMs = this.#distrusted.get(name);
    if (untilMs === undefined || nowMs < untilMs) return untilMs === undefined;
    this.#distrusted.delete(name);
    return true;
  }

  /** Takes the reports in the response to a request. Returns whether earlier ones were contradicted. */
  hear(given: readonly BucketReport[], request: AnsweredRequest, hintMs = 0): boolean {
    const isContradicted = this.#endCheck(request, hintMs);
    const reports =
      this.#distrusted.size === 0 ? given : given.filter(({ name }) => this.#isTrusted(name, request.answeredMs));
    if (reports.length > 0) this.#heardMs = request.answeredMs;
    for (const report of reports) {
      const bucket = this.#buckets.get(report.name) ?? new Bucket(report, this.#sends);
      bucket.hear(report, request);
      this.#keep(report.name, bucket);
    }
    if (request.wasRefused) return isContradicted;
    for (const [name, bucket] of this.#buckets) {
      const isMentioned = reports.some((report) => report.name === name);
      if (!isMentioned && bucket.miss(request.sentMs)) this.#buckets.delete(name);
    }
    return isContradicted;
  }

  /** The order of the map is that of the last reports; the oldest is dropped if there are too many. */
  #keep(name: string, bucket: Bucket): void {
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
  }

  /** The interval between requests at a moment, so that the rest lasts until the reset; 0: there is plenty. */
  intervalMs(nowMs: number, tokens: number, atMs: number = nowMs): number {
    return this.intervalFrom(nowMs, tokens)(atMs);
  }

  /** {@link intervalMs} for many moments. */
  intervalFrom(nowMs: number, tokens: number): (atMs: number) => number {
    const all = Array.from(this.#buckets.values(), (bucket) => bucket.intervals(tokens, nowMs));
    return (atMs) => {
      let mostMs = 0;
      for (const { presentMs, untilMs, laterMs } of all)
        mostMs = Math.max(mostMs, atMs > untilMs ? laterMs : presentMs);
      return mostMs;
    };
  }

  /** Until when no further request of this size is admitted; 0: it is admitted now. */
  emptyUntilMs(nowMs: number, tokens: number): number {
    let untilMs = 0;
    for (const bucket of this.#buckets.values()) untilMs = Math.max(untilMs, bucket.emptyUntilMs(tokens, nowMs));
    return untilMs;
  }
}
