/**
 * Times calls one after the other in processor time: of all threads, garbage collection included, other programs
 * excluded. The engine optimises a loop for the functions that it has called before, so each caller needs its own
 * instance of this module: {@link loadTimedCalls}.
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

/** The number of calls that take about `durationMs`. The trials are also the warm-up: the measured code is optimised. */
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
