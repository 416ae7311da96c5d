/** The same scenario with and without the gate, and the bars that the gate has to meet. */

import type { Result, Scenario } from './simulate.ts';

/** A scenario with the gate and without it. */
export interface Comparison {
  readonly scenario: Scenario;
  readonly without: Result;
  readonly gated: Result;
}

/** The bars for the gate; returns the names of those that it misses. */
export function missed({ without, gated }: Comparison): readonly string[] {
  const grace = gated.p99Ms < without.p99Ms ? 1_000 : 0;
  const bars: readonly (readonly [string, boolean])[] = [
    ['served', gated.servedPerS >= 0.97 * without.servedPerS],
    ['p50', gated.p50Ms <= 1.25 * without.p50Ms + 250 + grace],
    ['p99', gated.p99Ms <= 1.5 * without.p99Ms + 1_000],
    ['failures', gated.failed <= without.failed + 0.005 * without.begun],
    ['refusals', gated.refusals <= 1.1 * without.refusals + 3],
  ];
  return bars.flatMap(([name, isMet]) => (isMet ? [] : [name]));
}
