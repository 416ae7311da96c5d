/**
 * Calls one after the other, and the processor time they take: that of all threads, the collector of garbage included, and
 * nothing of what other programs do meanwhile. The engine optimises a loop for what it has called before, so each caller
 * needs an instance of this module to itself: {@link loadTimedCalls}.
 */

import { cpuMs } from './cpu-time.ts';
import type { Call } from './subject.ts';

/** In milliseconds. */
export async function timeCalls(call: Call, url: string, init: RequestInit, count: number): Promise<number> {
  const start = cpuMs();
  for (let made = 0; made < count; made += 1) await call(url, init);
  return cpuMs() - start;
}

let instances = 0;

export async function loadTimedCalls(): Promise<typeof timeCalls> {
  instances += 1;
  const module: { readonly timeCalls: typeof timeCalls } = await import(`${import.meta.url}?instance=${instances}`);
  return module.timeCalls;
}

/** How many calls take about as much time. The trials are also the warm-up: what is measured is optimised code. */
export async function countFor(
  durationMs: number,
  trials: number,
  time: (count: number) => Promise<number>,
): Promise<number> {
  let count = 20;
  for (let trial = 0; trial < trials; trial += 1) {
    const tookMs = await time(count);
    count = Math.max(10, Math.min(1_000_000, Math.ceil((count * durationMs) / Math.max(tookMs, 0.001))));
  }
  return count;
}
