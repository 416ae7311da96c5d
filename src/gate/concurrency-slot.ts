/**
 * One of the `concurrent` requests that the user allows. It is held until the response body has ended, was cancelled or
 * was collected, because until then the server works for it, or counts its connection. `session.ts` frees the slot of an
 * attempt that failed or was aborted, and `body-end.ts` that of a response.
 */

/** A body from which nothing is read for so long is given up: its slot is free for others. */
const GIVEN_UP_MS = 60_000;

export class ConcurrencySlot {
  /** Where the request went; never shown unscrubbed. */
  readonly url: string;
  /** The limit that it belongs to. */
  readonly owner: object;
  readonly sinceMs: number;
  /** The slot of the call from within which this one was made. */
  readonly parent: ConcurrencySlot | undefined;
  /** The number of calls that wait for a slot and were made from within this one. */
  waitingWithin = 0;
  #isHeld = true;
  /** Whether the response was handed to the caller. */
  #isHandedOver = false;
  #reading = 0;
  #readers = 1;
  #lastReadMs = 0;
  readonly #now: () => number;
  readonly #released: (slot: ConcurrencySlot) => void;

  constructor(
    owner: object,
    url: string,
    parent: ConcurrencySlot | undefined,
    now: () => number,
    released: (slot: ConcurrencySlot) => void,
  ) {
    this.owner = owner;
    this.url = url;
    this.parent = parent;
    this.sinceMs = now();
    this.#now = now;
    this.#released = released;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  get state(): 'sending' | 'unread' | 'reading' {
    if (!this.#isHandedOver) return 'sending';
    return this.#reading > 0 ? 'reading' : 'unread';
  }

  handOver(): void {
    this.#isHandedOver = true;
    this.#lastReadMs = this.#now();
  }

  /** Whether the caller has read nothing for so long that it will read no more. */
  isGivenUp(nowMs: number): boolean {
    return this.state === 'unread' && nowMs - this.#lastReadMs >= GIVEN_UP_MS;
  }

  /** The caller reads. Returns a function to call when the read has ended. */
  read(): () => void {
    this.#reading += 1;
    return () => {
      this.#reading -= 1;
      this.#lastReadMs = this.#now();
    };
  }

  /** The body has one more reader. */
  share(): void {
    this.#readers += 1;
  }

  /** A reader has gone without having read to the end. */
  drop(): void {
    this.#readers -= 1;
    if (this.#readers === 0) this.release();
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#released(this);
  }
}
