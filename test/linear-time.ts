/** Tells linear from quadratic time on a machine that has other work to do. */

import { expect } from 'vitest';

interface Lengths {
  readonly short: number;
  readonly long: number;
}

/** Below this the clock and the machine say more than the code. */
const FLOOR_MS = 0.2;
const ROOM = 3;
const MAX_ROUNDS = 60;

/**
 * Expects that the longer input takes no more than its share of the time of the shorter one, three times over. What
 * else the machine does only adds, so both are measured in turn, and the shortest of many rounds counts.
 */
export function expectLinearTime(run: (length: number) => void, { short, long }: Lengths): void {
  const most = (shortMs: number): number => Math.max(shortMs, FLOOR_MS) * (long / short) * ROOM;
  let shortest = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
  run(short);
  for (let round = 0; round < MAX_ROUNDS && !(shortest.long <= most(shortest.short)); round += 1) {
    shortest = {
      short: Math.min(
        shortest.short,
        cpuMsOf(() => run(short)),
      ),
      long: Math.min(
        shortest.long,
        cpuMsOf(() => run(long)),
      ),
    };
    // A quadratic search of a long text would take minutes to be measured often.
    if (round >= 5 && shortest.long > 1_000) break;
  }
  expect(shortest.long).toBeLessThanOrEqual(most(shortest.short));
}

/** How many milliseconds of the processor a function has used. Other programs may have used it meanwhile. */
export function cpuMsOf(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
