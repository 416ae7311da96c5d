/**
 * Simulated time: a queue of future events. All effects of an event come before the next one. A binary heap; events at
 * the same time keep their order.
 */

import type { Runtime } from '../src/runtime/runtime.ts';

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly happen: () => void;
}

export class VirtualTime {
  readonly #heap: Event[] = [];
  #order = 0;
  #nowMs: number;
  #held = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Calls `happen` after `delayMs`. */
  in(delayMs: number, happen: () => void): void {
    const event: Event = { atMs: this.#nowMs + delayMs, order: (this.#order += 1), happen };
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
  }

  /** The clock and the waits for a call in this time. */
  runtime(random: () => number): Runtime {
    return {
      now: () => this.#nowMs,
      random,
      sleep: (ms) => new Promise((resolve) => this.in(ms, resolve)),
    };
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

  /** Runs until `endMs`, or until `isOver`; later events never happen. */
  async runUntil(endMs: number, isOver: () => boolean = () => false): Promise<void> {
    for (let next = this.#heap[0]; next !== undefined && next.atMs < endMs && !isOver(); next = this.#heap[0]) {
      this.#removeFirst();
      this.#nowMs = next.atMs;
      next.happen();
      // All reactions to settled promises run before the next event.
      do await new Promise(setImmediate);
      while (this.#held > 0);
    }
    if (!isOver()) this.#nowMs = endMs;
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
