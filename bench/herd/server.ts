/**
 * A server with a capacity and a queue. It works off so many requests a second, in order; what it refuses costs it
 * nothing; what its client has given up it works off all the same, for it cannot know.
 */

import type { Failure } from '../../src/failure/failure.ts';
import type { Dice } from './dice.ts';
import type { EventQueue } from './event-queue.ts';

/** What ails the server while the trouble lasts. */
export interface Trouble {
  /** Answers so many of all requests, from 0 to 1, with this failure at once. */
  readonly refuses?: { readonly share: number; readonly failure: Failure } | undefined;
  /** Works at this share of its capacity. @default 1 */
  readonly capacity?: number | undefined;
  /** How many seconds of work at full capacity may queue; what is more is refused as overload. @default 1 */
  readonly queueS?: number | undefined;
}

export interface ServerOptions {
  readonly capacityPerS: number;
  readonly overload: Failure;
  readonly events: EventQueue;
  readonly dice: Dice;
}

type Answer = (failure: Failure | null) => void;

const TICK_MS = 10;
const SERVICE_MS = 100;
const REFUSAL_MS = 20;

export class Server {
  readonly #options: ServerOptions;
  readonly #queue: Answer[] = [];
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

  /** Takes a request; `answer` is called once, with what went wrong or null. */
  send(answer: Answer): void {
    const { events, dice, capacityPerS, overload } = this.#options;
    const { refuses, queueS = 1 } = this.#trouble;
    if (refuses !== undefined && dice() < refuses.share) {
      events.in(REFUSAL_MS, () => answer(refuses.failure));
    } else if (this.#queue.length - this.#first >= queueS * capacityPerS) {
      events.in(REFUSAL_MS, () => answer(overload));
    } else {
      this.#queue.push(answer);
    }
  }

  #tick(): void {
    const { events, capacityPerS } = this.#options;
    this.#due += (capacityPerS * (this.#trouble.capacity ?? 1) * TICK_MS) / 1_000;
    while (this.#due >= 1 && this.#first < this.#queue.length) {
      this.#due -= 1;
      const answer = this.#queue[this.#first];
      this.#first += 1;
      if (answer !== undefined) events.in(SERVICE_MS, () => answer(null));
    }
    // Idle time cannot be saved up.
    this.#due = Math.min(this.#due, 1);
    if (this.#first > 10_000) {
      this.#queue.splice(0, this.#first);
      this.#first = 0;
    }
    events.in(TICK_MS, () => this.#tick());
  }
}
