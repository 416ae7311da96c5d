/** The bars for the gate, each against the same schedule without it. */

import { perSecond, SERVICE_MS, type Subject } from './limiter.ts';
import type { Compared } from './loads.ts';
import type { Result } from './measure.ts';

const LONGEST_HOLD_MS = 60_000;
/** A call that begins within the hold is answered after it. */
const ANSWER_MS = 1_000;

type Bar = readonly [name: string, isMet: boolean];

/** The results of the callers that bars are about. */
export interface Judged {
  readonly plain: Result;
  readonly gate: Result;
  /** The gate with the limit stated. */
  readonly stated: Result | undefined;
  /** A gate for each model. */
  readonly alone: Result | undefined;
}

/** What is judged, and by which bars. */
export interface Case {
  readonly subject: Subject;
  readonly compared: Compared;
  readonly load: number;
}

/** Returns the names of the bars that the gate misses. */
export function missed(of: Case, results: Judged): readonly string[] {
  return barsFor(of, results).flatMap(([name, isMet]) => (isMet ? [] : [name]));
}

/** 500 calls at once: hardly any is refused, and the last answer comes when the limit allows it. */
function barsForBatch({ limit }: Subject, stated: Result): readonly Bar[] {
  const idealMs = ((stated.begun - 1) * 1_000) / perSecond(limit) + SERVICE_MS;
  const isTimed = 'requests' in limit;
  return [
    [`stated: answered ${stated.answered} of ${stated.begun}`, stated.answered === stated.begun],
    [`stated: refusals ${stated.refusals}`, stated.refusals <= 0.005 * stated.begun],
    [
      `stated: last answer after ${Math.round(stated.longestMs)} of ${Math.round(idealMs)} ms`,
      !isTimed || stated.longestMs <= 1.05 * idealMs,
    ],
  ];
}

function barsFor({ subject, compared, load }: Case, { plain, gate, stated, alone }: Judged): readonly Bar[] {
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
  switch (subject.judged ?? 'usual') {
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
        case 'batch':
          return stated === undefined ? [] : barsForBatch(subject, stated);
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
