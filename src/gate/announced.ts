/** The limits that a server announces with its responses. A client that obeys them need not be refused at all. */

import type { BucketReport } from './announced-headers.ts';
import { Bucket } from './bucket.ts';
import type { AnsweredRequest } from './limit-model.ts';
import { type Send, Sends } from './sends.ts';

/** After this time without a report the buckets are unknown. */
const FORGOTTEN_MS = 600_000;
/** The names are the server's, so there might be a new one in every response. */
const MOST_BUCKETS = 16;

/** The announced buckets of a limit. */
export class Announced {
  readonly #buckets = new Map<string, Bucket>();
  readonly #sends = new Sends();
  #heardMs = Number.NEGATIVE_INFINITY;

  /** Whether the last report is so old that the buckets are unknown. */
  isForgotten(nowMs: number): boolean {
    return nowMs - this.#heardMs > FORGOTTEN_MS;
  }

  /** Counts a request that is sent. Returns its record, for its report; null: no limit is announced. */
  spend(tokens: number, nowMs: number): Send | null {
    if (this.#buckets.size === 0) return null;
    for (const bucket of this.#buckets.values()) bucket.spend(tokens, nowMs);
    return this.#sends.add(tokens, nowMs);
  }

  /** Whether any bucket is known. */
  get isHeard(): boolean {
    return this.#buckets.size > 0;
  }

  /** Takes the reports in the response to a request. */
  hear(reports: readonly BucketReport[], request: AnsweredRequest): void {
    if (reports.length > 0) this.#heardMs = request.answeredMs;
    if (request.wasRefused && request.send !== null) this.#sends.refuse(request.send);
    for (const report of reports) {
      const bucket = this.#buckets.get(report.name) ?? new Bucket(report, this.#sends);
      bucket.hear(report, request);
      this.#keep(report.name, bucket);
    }
    if (request.wasRefused) return;
    for (const [name, bucket] of this.#buckets) {
      const isMentioned = reports.some((report) => report.name === name);
      if (!isMentioned && bucket.miss(request.sentMs)) this.#buckets.delete(name);
    }
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
