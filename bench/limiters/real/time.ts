/**
 * The two clocks of the judge: simulated time, which packages that read `Date` and set timers see too, and the real one
 * for programs in processes of their own.
 */

import type { RetryConfig } from '../../../src/index.ts';
import { VirtualTime } from '../../virtual-time.ts';

export interface Time {
  now(): number;
  in(delayMs: number, happen: () => void): void;
  /** For work that takes real time: simulated time stands still meanwhile. */
  standStill<T>(work: Promise<T>): Promise<T>;
  runtime(random: () => number): NonNullable<RetryConfig['runtime']>;
  /** Until `endMs`, or until `isOver`. */
  run(endMs: number, isOver: () => boolean): Promise<void>;
}

export const START_MS = 1_800_000_000_137;

/** Runs `work` in simulated time. One at a time: the globals are those of the process. */
export async function inSimulatedTime<T>(work: (time: Time) => Promise<T>): Promise<T> {
  const time = new VirtualTime(START_MS);
  const restore = replaceGlobals(time);
  try {
    return await work({
      now: () => time.nowMs,
      in: (delayMs, happen) => time.in(delayMs, happen),
      standStill: (promise) => time.standStill(promise),
      runtime: (random) => time.runtime(random),
      run: (endMs, isOver) => time.runUntil(endMs, isOver),
    });
  } finally {
    restore();
  }
}

export const realTime: Time = {
  now: () => Date.now(),
  in: (delayMs, happen) => void setTimeout(happen, delayMs),
  standStill: (promise) => promise,
  runtime: (random) => ({ random }),
  async run(endMs, isOver) {
    while (Date.now() < endMs && !isOver()) await new Promise((resolve) => setTimeout(resolve, 50));
  },
};

/** A timer as Node returns it. */
class SimulatedTimer {
  isCleared = false;
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  [Symbol.toPrimitive](): number {
    return 0;
  }
}

const stop = (timer: unknown): void => {
  if (timer instanceof SimulatedTimer) timer.isCleared = true;
};

function replaceGlobals(time: VirtualTime): () => void {
  const { Date: RealDate, setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  class SimulatedDate extends RealDate {
    constructor(...parts: readonly unknown[]) {
      super(...((parts.length === 0 ? [time.nowMs] : parts) as [number]));
    }
    static override now(): number {
      return time.nowMs;
    }
  }
  const start = (happen: (...args: unknown[]) => void, delayMs = 0, isRepeated: boolean, args: unknown[]): object => {
    const timer = new SimulatedTimer();
    const next = (): void =>
      time.in(Math.max(1, delayMs), () => {
        if (timer.isCleared) return;
        happen(...args);
        if (isRepeated) next();
      });
    next();
    return timer;
  };
  type Happen = (...args: unknown[]) => void;
  Object.assign(globalThis, {
    Date: SimulatedDate,
    setTimeout: (happen: Happen, delayMs?: number, ...args: unknown[]) => start(happen, delayMs, false, args),
    setInterval: (happen: Happen, delayMs?: number, ...args: unknown[]) => start(happen, delayMs, true, args),
    clearTimeout: stop,
    clearInterval: stop,
  });
  return () => void Object.assign(globalThis, { Date: RealDate, setTimeout, clearTimeout, setInterval, clearInterval });
}
