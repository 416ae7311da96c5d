/**
 * A server with a capacity and a queue. It works through a number of requests per second, in order. Refusals cost it
 * nothing; a request that its client has given up costs as much as any other, because the server cannot detect that.
 */

import type { Dice } from '../dice.ts';
import type { VirtualTime } from '../virtual-time.ts';

/** A response without a body: the status, and when to come back. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What is wrong with the server during the trouble. */
export interface Trouble {
  /** Answers this share of all requests, from 0 to 1, with this refusal at once. */
  readonly refuses?: { readonly share: number; readonly refusal: Refusal } | undefined;
  /** Works at this share of its capacity. @default 1 */
  readonly capacity?: number | undefined;
  /** The longest queue, in seconds of work at full capacity; further requests are refused as overload. @default 1 */
  readonly queueS?: number | undefined;
}

export interface ServerOptions {
  readonly capacityPerS: number;
  readonly overload: Refusal;
  /** How long a client waits for a response before the attempt counts as failed. */
  readonly timeoutMs: number;
  readonly time: VirtualTime;
  readonly dice: Dice;
}

const TICK_MS = 10;
const SERVICE_MS = 100;
const REFUSAL_MS = 20;
/** The error that a client gets when an attempt takes too long. */
const TIMED_OUT: Refusal = { status: 504 };

export class Server {
  readonly #options: ServerOptions;
  readonly #queue: (() => void)[] = [];
  #first = 0;
  #due = 0;
  #trouble: Trouble = {};

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#tick();
  }

  begin(trouble: Trouble): void {
    this.#trouble = trouble;
  }

  /** The server as a `fetch`. */
  readonly fetch = (): Promise<Response> =>
    new Promise((resolve) => {
      const { time, dice, capacityPerS, overload, timeoutMs } = this.#options;
      const { refuses, queueS = 1 } = this.#trouble;
      const refuse = (refusal: Refusal, afterMs: number): object =>
        time.in(afterMs, () => resolve(responseOf(refusal)));
      if (refuses !== undefined && dice() < refuses.share) {
        refuse(refuses.refusal, REFUSAL_MS);
      } else if (this.#queue.length - this.#first >= queueS * capacityPerS) {
        refuse(overload, REFUSAL_MS);
      } else {
        this.#queue.push(() => resolve(new Response(null)));
        refuse(TIMED_OUT, timeoutMs);
      }
    });

  #tick(): void {
    const { time, capacityPerS } = this.#options;
    this.#due += (capacityPerS * (this.#trouble.capacity ?? 1) * TICK_MS) / 1_000;
    while (this.#due >= 1 && this.#first < this.#queue.length) {
      this.#due -= 1;
      const answer = this.#queue[this.#first];
      this.#first += 1;
      if (answer !== undefined) time.in(SERVICE_MS, answer);
    }
    // Idle time cannot be saved up.
    this.#due = Math.min(this.#due, 1);
    if (this.#first > 10_000) {
      this.#queue.splice(0, this.#first);
      this.#first = 0;
    }
    time.in(TICK_MS, () => this.#tick());
  }
}

function responseOf({ status, headers = {} }: Refusal): Response {
  return new Response(null, { status, headers: { ...headers } });
}
