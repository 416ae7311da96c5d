/** The limits that a server announces with its responses. A client that obeys them need not be refused at all. */

import type { BucketReport } from './announced-headers.ts';
import { Bucket } from './bucket.ts';
import type { AnsweredRequest, Send } from './limit-model.ts';

/** After this time without a report the buckets are unknown. */
const FORGOTTEN_MS = 600_000;
/** The names are the server's, so there might be a new one in every response. */
const MOST_BUCKETS = 16;

/**
 * Headers can be wrong: a clock that is ahead, milliseconds for seconds, a limit that is not enforced. So a request is
 * sent early as a check: at once if the hold is longer than calls wait (`tooLongMs`), else when nothing has been sent for
 * `afterMs`, so that no ordinary window is ever checked: some limiters begin theirs anew with each refusal. With each
 * refused check that time doubles. Calls ask again after `soonMs` while a result may come. Headers that are contradicted are
 * not believed for `distrustedMs`.
 */
const CHECKS = {
  afterMs: 20_000,
  tooLongMs: 60_000,
  longestMs: 60_000,
  resultMs: 10_000,
  soonMs: 500,
  leftMs: 2_000,
  distrustedMs: 600_000,
} as const;

/** The announced buckets of a limit. */
export class Announced {
  readonly #buckets = new Map<string, Bucket>();
  /** All that was sent. */
  #total: Send = { requests: 0, tokens: 0 };
  #lastSentMs = -Infinity;
  /** The request that checks, how many were refused, and the hint of the last one. */
  #check: Send | null = null;
  #refusedChecks = 0;
  #checkHintMs = Infinity;
  #distrustedUntilMs = -Infinity;
  #heardMs = -Infinity;

  /** Whether the last report is so old that the buckets are unknown. */
  isForgotten(nowMs: number): boolean {
    return nowMs - this.#heardMs > FORGOTTEN_MS;
  }

  /** Whether any bucket is known. */
  get isHeard(): boolean {
    return this.#buckets.size > 0;
  }

  /** Counts a request that is sent. Returns its record, for its report; null: no limit is announced. */
  spend(tokens: number, nowMs: number): Send | null {
    const isCheck = !this.isChecking(nowMs) && this.#isReportedEmpty(tokens, nowMs, nowMs);
    this.#lastSentMs = nowMs;
    if (!this.isHeard) return null;
    for (const bucket of this.#buckets.values()) bucket.spend(tokens, nowMs);
    this.#total = { requests: this.#total.requests + 1, tokens: this.#total.tokens + tokens };
    if (isCheck) this.#check = this.#total;
    return this.#total;
  }

  /** Whether a request is held for long by what the server said before a moment, and not only by what was sent since. */
  #isReportedEmpty(tokens: number, nowMs: number, heardBeforeMs: number): boolean {
    return this.reportedEmptyUntilMs(nowMs, tokens, heardBeforeMs) >= nowMs + CHECKS.leftMs;
  }

  /** Whether a request is sent although nothing remains, to check that. */
  mayCheck(nowMs: number, tokens: number): boolean {
    if (this.isChecking(nowMs) || !this.#isReportedEmpty(tokens, nowMs, nowMs)) return false;
    return nowMs >= this.#checkDueMs(nowMs, this.emptyUntilMs(nowMs, tokens));
  }

  #checkDueMs(nowMs: number, untilMs: number): number {
    if (this.#refusedChecks === 0 && untilMs > nowMs + CHECKS.tooLongMs) return nowMs;
    const afterMs = CHECKS.afterMs * 2 ** Math.max(0, this.#refusedChecks - 1);
    return this.#lastSentMs + Math.min(afterMs, CHECKS.longestMs, this.#checkHintMs);
  }

  /** Whether the result of a check is expected. */
  isChecking(nowMs: number): boolean {
    return this.#check !== null && nowMs - this.#lastSentMs < CHECKS.resultMs;
  }

  /** When a call that is held until then asks again: sooner where the next response, or a check, may end the hold. */
  asksAgainMs(nowMs: number, tokens: number, untilMs: number): number {
    const isExpected = this.isChecking(nowMs) || !this.#isReportedEmpty(tokens, nowMs, nowMs + 1);
    const soonerMs = isExpected ? nowMs + CHECKS.soonMs : this.#checkDueMs(nowMs, untilMs);
    return soonerMs > nowMs && soonerMs < untilMs - CHECKS.leftMs ? soonerMs : untilMs;
  }

  /** Whether an announcement was contradicted lately: the clock of the server may be ahead, and its hints with it. */
  isContradicted(nowMs: number): boolean {
    return nowMs < this.#distrustedUntilMs;
  }

  /** Takes the reports in the response to a request. Returns whether earlier ones were contradicted. */
  hear(reports: readonly BucketReport[], request: AnsweredRequest, hintMs = 0): boolean {
    const { send, sentMs, answeredMs, wasRefused } = request;
    const isCheck = send !== null && send === this.#check;
    this.#lastSentMs = Math.max(sentMs, this.#lastSentMs);
    if (isCheck) this.#check = null;
    if (isCheck && wasRefused) [this.#refusedChecks, this.#checkHintMs] = [this.#refusedChecks + 1, hintMs || Infinity];
    if (this.isContradicted(answeredMs)) return false;
    const isContradicted =
      (isCheck && !wasRefused) ||
      reports.some((report) => this.#buckets.get(report.name)?.contradicts(report, request));
    if (isContradicted) {
      this.#buckets.clear();
      this.#refusedChecks = 0;
      this.#distrustedUntilMs = answeredMs + CHECKS.distrustedMs;
      return true;
    }
    for (const report of reports) {
      const bucket = this.#buckets.get(report.name) ?? new Bucket(report);
      bucket.hear(report, request, this.#total);
      this.#keep(report.name, bucket);
      this.#heardMs = answeredMs;
    }
    if (!wasRefused) for (const [name, bucket] of this.#buckets) if (bucket.isGone(sentMs)) this.#buckets.delete(name);
    return false;
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
  reportedEmptyUntilMs(nowMs: number, tokens: number, heardBeforeMs: number = nowMs + 1): number {
    return this.#most((bucket) =>
      bucket.isReportedEmpty(tokens, heardBeforeMs) ? bucket.emptyUntilMs(tokens, nowMs) : 0,
    );
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
