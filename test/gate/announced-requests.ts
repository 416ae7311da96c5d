/** Requests under announced limits, which are sent and answered one by one. */

import { Announced } from '../../src/gate/announced.ts';
import type { BucketReport } from '../../src/gate/announced-headers.ts';

export type Report = Partial<BucketReport> & { readonly remaining: number };

/** Announced limits, to which requests are sent and answered one by one. */
export class Requests {
  readonly announced = new Announced();

  /** Sends a request and hears the answer, with reports on the bucket `requests` unless they say another one. */
  answer(sentMs: number, answeredMs: number, ...reports: Report[]): void {
    this.send(sentMs)(answeredMs, ...reports);
  }

  /** Sends a request. Returns what hears its answer. */
  send(sentMs: number, tokens = 0): (answeredMs: number, ...reports: Report[]) => void {
    const send = this.announced.spend(tokens, sentMs);
    return (answeredMs, ...reports) => this.#hear({ send, sentMs, answeredMs, wasRefused: false }, reports);
  }

  refuse(sentMs: number, answeredMs: number, ...reports: Report[]): void {
    const send = this.announced.spend(0, sentMs);
    this.#hear({ send, sentMs, answeredMs, wasRefused: true }, reports);
  }

  /** How long nothing can be sent, and how far requests are apart otherwise. */
  emptyFor(nowMs: number, tokens = 0): number {
    return Math.max(0, this.announced.emptyUntilMs(nowMs, tokens) - nowMs);
  }

  apartMs(nowMs: number, atMs = nowMs, tokens = 0): number {
    return this.announced.intervalFrom(nowMs, tokens)(atMs);
  }

  #hear(request: Parameters<Announced['hear']>[1], reports: readonly Report[]): void {
    const complete = reports.map((report): BucketReport => ({
      name: report.unit ?? 'requests',
      unit: 'requests',
      limit: 10,
      resetMs: 8_000,
      ...report,
    }));
    this.announced.hear(complete, request);
  }
}
