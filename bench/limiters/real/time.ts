/**
 * The two clocks of the judge: simulated time, which packages that read `Date` and set timers see too, and the real one
 * for programs in processes of their own.
 */

import type { RetryConfig } from '../../../src/index.ts';
import { replaceGlobals } from '../../virtual-globals.ts';
import { VirtualTime } from '../../virtual-time.ts';

export interface Time extends Pick<VirtualTime, 'nowMs' | 'after' | 'standStill' | 'runUntil'> {
  runtime(random: () => number): NonNullable<RetryConfig['runtime']>;
}

export const START_MS = 1_800_000_000_137;

/** Runs `work` in simulated time. One at a time: the globals are those of the process. */
export async function inSimulatedTime<T>(work: (time: Time) => Promise<T>): Promise<T> {
  const time = new VirtualTime(START_MS);
  const restore = replaceGlobals(time);
  try {
    return await work(time);
  } finally {
    restore();
  }
}

export const realTime: Time = {
  get nowMs() {
    return Date.now();
  },
  after: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
  standStill: (promise) => promise,
  runtime: (random) => ({ random }),
  async runUntil(endMs, isOver = () => false) {
    while (Date.now() < endMs && !isOver()) await new Promise((resolve) => setTimeout(resolve, 50));
  },
};
