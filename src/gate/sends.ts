/** The log of the requests that were sent under a limit: what counts in a sliding window, and what it gives back. */

export type Unit = 'requests' | 'tokens';

/** A request that was sent. */
export interface Send {
  readonly sentMs: number;
  /** The estimated tokens; 0: unknown. */
  readonly tokens: number;
  /** All requests and tokens up to this request. */
  readonly total: Readonly<Record<Unit, number>>;
}

/** Longer logs lose their older half, so a sliding window with more requests is taken for a bucket. */
const LONGEST = 2_000;

export class Sends {
  readonly #sends: Send[] = [];
  #total: Send['total'] = { requests: 0, tokens: 0 };

  /** All requests and tokens so far. */
  get total(): Send['total'] {
    return this.#total;
  }

  add(tokens: number, sentMs: number): Send {
    this.#total = { requests: this.#total.requests + 1, tokens: this.#total.tokens + tokens };
    const send = { sentMs, tokens, total: this.#total };
    this.#sends.push(send);
    if (this.#sends.length > LONGEST) this.#sends.splice(0, LONGEST / 2);
    return send;
  }

  /** A refused request cost nothing. */
  refuse(send: Send): void {
    const index = this.#sends.indexOf(send);
    if (index >= 0) this.#sends.splice(index, 1);
  }

  /** The first request after a moment. */
  firstAfter(ms: number): Send | undefined {
    return this.#sends[this.#indexAfter(ms)];
  }

  /** The last request until a moment, itself included. */
  lastUntil(ms: number): Send | undefined {
    return this.#sends[this.#indexAfter(ms) - 1];
  }

  /** The requests after a moment, until another. */
  *between(afterMs: number, untilMs: number): Generator<Send> {
    for (let index = this.#indexAfter(afterMs); index < this.#sends.length; index += 1) {
      const send = this.#sends[index];
      if (send === undefined || send.sentMs > untilMs) return;
      yield send;
    }
  }

  #indexAfter(ms: number): number {
    let [low, high] = [0, this.#sends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sends[middle]?.sentMs ?? 0) <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
