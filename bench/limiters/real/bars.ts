/** The bars for the gate, each against the same schedule without it. */

import type { Described } from './limiter.ts';
import type { Compared } from './loads.ts';
import type { Result } from './measure.ts';

const LONGEST_HOLD_MS = 60_000;
/** A call that begins within the hold is answered after it. */
const ANSWER_MS = 1_000;

type Bar = readonly [name: string, isMet: boolean];

/** Returns the names of the bars that the gate misses. `alone`: the same with a gate for each model. */
export function missed(
  judged: NonNullable<Described['judged']>,
  compared: Compared,
  load: number,
  { plain, gate, alone }: { readonly plain: Result; readonly gate: Result; readonly alone?: Result | undefined },
): readonly string[] {
  return barsFor(judged, compared, load, plain, gate, alone).flatMap(([name, isMet]) => (isMet ? [] : [name]));
}

function barsFor(
  judged: NonNullable<Described['judged']>,
  compared: Compared,
  load: number,
  plain: Result,
  gate: Result,
  alone: Result | undefined,
): readonly Bar[] {
  const answered = (share: number): Bar => [
    `answered ${gate.answered} of ${plain.answered}`,
    gate.answered >= share * plain.answered,
  ];
  const failed: Bar = [`failed ${plain.failed} → ${gate.failed}`, gate.failed <= plain.failed];
  const p99: Bar = [
    `p99 ${Math.round(plain.p99Ms)} → ${Math.round(gate.p99Ms)} ms`,
    gate.p99Ms <= 1.5 * plain.p99Ms + 1_000,
  ];
  const refusals: Bar = [`refusals ${plain.refusals} → ${gate.refusals}`, gate.refusals <= 0.6 * plain.refusals];
  if (compared === 'shown') return [];
  switch (judged) {
    case 'long':
      return [
        [
          `in time ${gate.answeredInTime} of ${plain.answeredInTime}`,
          gate.answeredInTime >= 0.96 * plain.answeredInTime,
        ],
      ];
    case 'wrong':
      return [
        [`later ${gate.answeredLater} of ${plain.answeredLater}`, gate.answeredLater >= 0.9 * plain.answeredLater],
        [
          `longest ${Math.round(gate.longestMs)} ms`,
          gate.longestMs <= Math.max(LONGEST_HOLD_MS + ANSWER_MS, plain.longestMs),
        ],
      ];
    case 'usual':
      switch (compared) {
        case 'bursts':
          return [answered(0.97), failed];
        case 'models':
          return [
            [
              `in time ${gate.answeredInTime} of ${alone?.answeredInTime} alone`,
              gate.answeredInTime >= 0.97 * (alone?.answeredInTime ?? 0),
            ],
          ];
        case 'below':
        case 'above':
        case 'far above':
          if (load <= 0.9) return [answered(0.98), p99, failed];
          return load <= 1.2 ? [answered(0.97), failed, refusals] : [answered(0.97)];
      }
  }
}
