/**
 * One of the `concurrent` requests that the user allows. An attempt that fails or is aborted frees its slot at once. A
 * response keeps it until its body has ended, was cancelled or was collected, or until the call is aborted, because until
 * then the server works for it, or counts its connection.
 */

import { type BodyReaders, type LookAtBody, watchEnd } from './body-end.ts';
import type { GateOutcome } from './gate.ts';

/** A body from which nothing is read for so long is given up: its slot is free for others. */
const GIVEN_UP_MS = 60_000;

export class ConcurrencySlot implements BodyReaders {
  /** Where the request went; never shown unscrubbed. */
  readonly url: string;
  readonly sinceMs: number;
  /** The slot of the call from within which this one was made. */
  readonly parent: ConcurrencySlot | undefined;
  /** The number of calls that wait for a slot and were made from within this one. */
  waitingWithin = 0;
  #isHeld = true;
  #look: LookAtBody = () => 'unknown';
  #forgetSignal = (): void => {};
  #isReadHere = false;
  #reading = 0;
  #readers = 1;
  /** When the caller has read last, or got the response; null: there is none yet. */
  #lastReadMs: number | null = null;
  readonly #now: () => number;
  readonly #released: (slot: ConcurrencySlot) => void;

  constructor(
    url: string,
    parent: ConcurrencySlot | undefined,
    now: () => number,
    released: (slot: ConcurrencySlot) => void,
  ) {
    this.url = url;
    this.parent = parent;
    this.sinceMs = now();
    this.#now = now;
    this.#released = released;
  }

  get state(): 'sending' | 'unread' | 'reading' {
    if (this.#lastReadMs === null) return 'sending';
    return this.#reading > 0 || this.#look(this.#isReadHere) === 'read-elsewhere' ? 'reading' : 'unread';
  }

  /** The attempt has failed, was aborted, or has a response, which the caller gets now. */
  end(outcome: GateOutcome): void {
    if (outcome.type !== 'success') {
      this.release();
      return;
    }
    this.#lastReadMs = this.#now();
    const { signal, response, readBy } = outcome;
    if (readBy === undefined) this.#look = watchEnd(response, this);
    else readBy(this);
    if (signal === undefined || !this.#isHeld) return;
    const release = (): void => this.release();
    this.#forgetSignal = () => signal.removeEventListener('abort', release);
    signal.addEventListener('abort', release);
    if (signal.aborted) release();
  }

  /** Frees the slot if its body has ended unnoticed, or if the caller has read nothing for so long that it never will. */
  releaseIfOver(nowMs: number): void {
    const isGivenUp = this.state === 'unread' && nowMs - (this.#lastReadMs ?? nowMs) >= GIVEN_UP_MS;
    if (isGivenUp || this.#look(this.#isReadHere) === 'ended') this.release();
  }

  read(): () => void {
    this.#isReadHere = true;
    this.#reading += 1;
    return () => {
      this.#reading -= 1;
      this.#lastReadMs = this.#now();
    };
  }

  share(): void {
    this.#isReadHere = true;
    this.#readers += 1;
  }

  drop(): void {
    this.#readers -= 1;
    if (this.#readers === 0) this.release();
  }

  /** Frees the slot; the next call in the queue is woken. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#forgetSignal();
    this.#released(this);
  }
}
