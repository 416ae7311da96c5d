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
 * sent early as a check: at once if the hold is longer than calls wait (`tooLongMs`), else when calls have been held for
 * `afterMs` without a break, so that no ordinary window is ever checked: some limiters begin theirs anew with each
 * refusal. A check that is refused doubles that time. Headers that are contradicted are not believed for `distrustedMs`.
 */
const CHECKS = {
  afterMs: 20_000,
  growth: 2,
  tooLongMs: 60_000,
  longestMs: 60_000,
  resultMs: 10_000,
  leftMs: 2_000,
  distrustedMs: 600_000,
} as const;

/** The announced buckets of a limit. */
export class Announced {
  readonly #buckets = new Map<string, Bucket>();
  readonly #sends = new Sends();
  /** The names of buckets that were contradicted, and until when they are not believed. */
  readonly #distrusted = new Map<string, number>();
  /** When the present hold began, and when it ends. */
  #heldSinceMs = 0;
  #heldUntilMs: number = -Infinity;
  #checkAfterMs: number = CHECKS.afterMs;
  /** When a hold may be checked again. */
  #nextCheckMs = -Infinity;
  /** The request that checks, and the buckets that it contradicts if it succeeds. */
  #check: { readonly send: Send; readonly names: readonly string[]; readonly sentMs: number } | null = null;
  #heardMs = -Infinity;

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
    if (empty.length > 0 && !this.isChecking(nowMs)) this.#check = { send, names: empty, sentMs: nowMs };
    return send;
  }

  /** The buckets that hold a request for long by what the server says, and not only by what was sent since. */
  #emptyNames(tokens: number, nowMs: number, heardBeforeMs: number = nowMs): readonly string[] {
    const names: string[] = [];
    for (const [name, bucket] of this.#buckets)
      if (bucket.isReportedEmpty(tokens, heardBeforeMs) && bucket.emptyUntilMs(tokens, nowMs) >= nowMs + CHECKS.leftMs)
        names.push(name);
    return names;
  }

  /** Whether any bucket is known. */
  get isHeard(): boolean {
    return this.#buckets.size > 0;
  }

  /** Whether a request is sent although nothing remains, to check that. */
  mayCheck(nowMs: number, tokens: number): boolean {
    if (this.isChecking(nowMs) || this.#emptyNames(tokens, nowMs).length === 0) return false;
    const untilMs = this.emptyUntilMs(nowMs, tokens);
    return nowMs >= this.#checkDueMs(nowMs, untilMs);
  }

  #checkDueMs(nowMs: number, untilMs: number): number {
    if (nowMs > this.#heldUntilMs) this.#heldSinceMs = nowMs;
    this.#heldUntilMs = Math.max(untilMs, this.#heldUntilMs);
    const isTooLong = untilMs > nowMs + CHECKS.tooLongMs;
    return Math.max(this.#nextCheckMs, isTooLong ? nowMs : this.#heldSinceMs + this.#checkAfterMs);
  }

  /** Whether the result of a check is expected. */
  isChecking(nowMs: number): boolean {
    return this.#check !== null && nowMs - this.#check.sentMs < CHECKS.resultMs;
  }

  /** Whether a long hold is only expected by what was sent since the last report, or is being checked. */
  isUncertain(nowMs: number, tokens: number): boolean {
    if (this.emptyUntilMs(nowMs, tokens) < nowMs + CHECKS.leftMs) return false;
    return this.isChecking(nowMs) || this.#emptyNames(tokens, nowMs, nowMs + 1).length === 0;
  }

  /** When a hold until then is checked; null: it is not. */
  nextCheckMs(nowMs: number, untilMs: number): number | null {
    const dueMs = this.#checkDueMs(nowMs, untilMs);
    return dueMs > nowMs && dueMs < untilMs - CHECKS.leftMs ? dueMs : null;
  }

  /** Takes the result of a check. Returns whether announcements were contradicted. */
  #endCheck(request: AnsweredRequest, hintMs: number): boolean {
    const check = this.#check;
    if (check === null || request.send !== check.send) return false;
    this.#check = null;
    if (request.wasRefused) {
      const gapMs = Math.min(this.#checkAfterMs, CHECKS.longestMs);
      this.#checkAfterMs *= CHECKS.growth;
      this.#nextCheckMs = request.answeredMs + (hintMs > 0 ? Math.min(hintMs, gapMs) : gapMs);
      return false;
    }
    this.#distrust(check.names, request.answeredMs);
    return true;
  }

  #distrust(names: readonly string[], nowMs: number): void {
    for (const name of names) {
      this.#buckets.delete(name);
      this.#distrusted.set(name, nowMs + CHECKS.distrustedMs);
    }
    this.#heldUntilMs = -Infinity;
    this.#checkAfterMs = CHECKS.afterMs;
  }

  /** Whether an announcement was contradicted lately: the clock of the server may be ahead, and its hints with it. */
  isContradicted(nowMs: number): boolean {
    for (const untilMs of this.#distrusted.values()) if (nowMs < untilMs) return true;
    return false;
  }

  #isTrusted(name: string, nowMs: number): boolean {
    const untilMs = this.#distrusted.get(name);
    if (untilMs === undefined || nowMs < untilMs) return untilMs === undefined;
    this.#distrusted.delete(name);
    return true;
  }

  /** Takes the reports in the response to a request. Returns whether earlier ones were contradicted. */
  hear(given: readonly BucketReport[], request: AnsweredRequest, hintMs = 0): boolean {
    let isContradicted = this.#endCheck(request, hintMs);
    const reports =
      this.#distrusted.size === 0 ? given : given.filter(({ name }) => this.#isTrusted(name, request.answeredMs));
    if (reports.length > 0) this.#heardMs = request.answeredMs;
    for (const report of reports) {
      const bucket = this.#buckets.get(report.name) ?? new Bucket(report, this.#sends);
      if (bucket.contradicts(report, request)) {
        this.#distrust([report.name], request.answeredMs);
        isContradicted = true;
        continue;
      }
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

  /** The interval between requests at each moment, so that the rest lasts until the reset; 0: there is plenty. */
  intervalFrom(nowMs: number, tokens: number): (atMs: number) => number {
    const all = Array.from(this.#buckets.values(), (bucket) => bucket.intervals(tokens, nowMs));
    return (atMs) => {
      let mostMs = 0;
      for (const { presentMs, untilMs, laterMs } of all)
        mostMs = Math.max(mostMs, atMs > untilMs ? laterMs : presentMs);
      return mostMs;
    };
  }

  /** {@link emptyUntilMs} by the last reports alone, without what was sent since. */
  reportedEmptyUntilMs(nowMs: number, tokens: number): number {
    return this.#most((bucket) => (bucket.isReportedEmpty(tokens, nowMs + 1) ? bucket.emptyUntilMs(tokens, nowMs) : 0));
  }

  /** The interval at which requests of this size use up no more than comes back. */
  steadyMs(nowMs: number, tokens: number): number {
    return this.#most((bucket) => bucket.intervals(tokens, nowMs).laterMs);
  }

  /** Until when no further request of this size is admitted; 0: it is admitted now. */
  emptyUntilMs(nowMs: number, tokens: number): number {
    return this.#most((bucket) => bucket.emptyUntilMs(tokens, nowMs));
  }

  #most(of: (bucket: Bucket) => number): number {
    let most = 0;
    for (const bucket of this.#buckets.values()) most = Math.max(most, of(bucket));
    return most;
  }
}
