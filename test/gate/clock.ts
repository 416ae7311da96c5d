/** A clock that stands still until it is moved, and dice that always fall the same way. */

import type { GateClock } from '../../src/gate/gate.ts';

export interface TestClock extends GateClock {
  timeMs: number;
  chance: number;
}

export function testClock(timeMs = 1_800_000_000_000): TestClock {
  const clock: TestClock = { timeMs, chance: 0, now: () => clock.timeMs, random: () => clock.chance };
  return clock;
}
