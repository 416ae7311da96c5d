/**
 * Simulated time: a queue of future events, which moves to the next one when nothing else is left to do. All effects of
 * an event come before the next one. A binary heap; events at the same time keep their order.
 */

import type { Runtime } from '../src/runtime/runtime.ts';
import { replaceGlobals } from './virtual-globals.ts';

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly happen: () => void;
  isCancelled: boolean;
  /** Whether it outlives `clear`. */
  isKept: boolean;
}

const real = { setImmediate };

export class VirtualTime {
  readonly #heap: Event[] = [];
  readonly #startMs: number;
  #order = 0;
  #nowMs: number;
  #held = 0;

  constructor(startMs = 1_800_000_000_000) {
    this.#startMs = startMs;
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get elapsedMs(): number {
    return this.#nowMs - this.#startMs;
  }

  /** Calls `happen` after `delayMs`. `cancel` takes the returned event back. */
  in(delayMs: number, happen: () => void): object {
    const atMs = this.#nowMs + Math.max(0, delayMs);
    const event: Event = { atMs, order: (this.#order += 1), happen, isCancelled: false, isKept: false };
    const heap = this.#heap;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !earlier(event, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = event;
    return event;
  }

  cancel(event: object): void {
    if ('isCancelled' in event) event.isCancelled = true;
  }

  /** `clear` does not forget the event. */
  keep(event: object): void {
    if ('isKept' in event) event.isKept = true;
  }

  /** Resolves after `delayMs`. */
  after(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.in(delayMs, resolve));
  }

  /** The clock and the waits for a call in this time. */
  runtime(random: () => number): Runtime {
    return { now: () => this.#nowMs, random, sleep: (ms) => this.after(ms) };
  }

  /** Time stands still until the work is done: for work that takes real time, such as a request to a real server. */
  async standStill<T>(work: Promise<T>): Promise<T> {
    this.#held += 1;
    try {
      return await work;
    } finally {
      this.#held -= 1;
    }
  }

  /** Until all reactions to an event have run: those to settled promises. */
  async idle(): Promise<void> {
    await new Promise(real.setImmediate);
  }

  /** Runs until `endMs`, until `isOver`, or until no event is left; later events never happen. */
  async runUntil(endMs: number, isOver: () => boolean = () => false): Promise<void> {
    for (let next = this.#heap[0]; next !== undefined && next.atMs < endMs && !isOver(); next = this.#heap[0]) {
      this.#removeFirst();
      if (next.isCancelled) continue;
      this.#nowMs = next.atMs;
      next.happen();
      do await this.idle();
      while (this.#held > 0);
    }
    if (!isOver() && endMs !== Infinity) this.#nowMs = endMs;
  }

  /** Runs with the clocks and timers of the whole process in this time, until the promise settles. */
  async run<T>(start: () => Promise<T>): Promise<T> {
    const restore = replaceGlobals(this);
    try {
      const result = start();
      let isSettled = false;
      const onSettled = (): void => void (isSettled = true);
      result.then(onSettled, onSettled);
      await this.idle();
      await this.runUntil(Infinity, () => isSettled);
      if (!isSettled) throw new Error('expected the call to settle, got neither an answer nor a timer');
      return await result;
    } finally {
      restore();
    }
  }

  /** Forgets all events that are not kept. */
  clear(): void {
    const kept = this.#heap.filter(({ isKept }) => isKept).toSorted((a, b) => (earlier(a, b) ? -1 : 1));
    this.#heap.splice(0, Infinity, ...kept);
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const event = heap.pop();
    if (event === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      let child = heap[below];
      if (child === undefined) break;
      const other = heap[below + 1];
      if (other !== undefined && earlier(other, child)) [below, child] = [below + 1, other];
      if (!earlier(child, event)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = event;
  }
}

const earlier = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
