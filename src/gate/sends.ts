/** All that was sent under a limit, so that a report can be told what was sent after the moment that it describes. */

export type Unit = 'requests' | 'tokens';

/** A request that was sent: all requests and estimated tokens up to it. */
export type Send = Readonly<Record<Unit, number>>;

export class Sends {
  /** All requests and tokens so far. */
  total: Send = { requests: 0, tokens: 0 };

  add(tokens: number): Send {
    this.total = { requests: this.total.requests + 1, tokens: this.total.tokens + tokens };
    return this.total;
  }
}
