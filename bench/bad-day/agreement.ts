/** How far two runs with the same seeds agree. */

import { type Cell, type Score, scoreOf } from './score.ts';
import type { Trouble } from './trouble.ts';

type Troubles = ReadonlyMap<string, Pick<Trouble, 'endsWellWith'>>;

/** Two counts may differ by this share of the greater. */
const TOLERANCE = 0.02;

/** One line for each count of a client, setting and trouble that differs by more than 2 %. */
export function differingCounts(a: readonly Cell[], b: readonly Cell[], troubles: Troubles): readonly string[] {
  const second = scoresOf(b, troubles);
  return [...scoresOf(a, troubles)].flatMap(([name, score]) => {
    const other = second.get(name);
    if (other === undefined) return [`${name}: only in the first run`];
    const otherCounts = countsOf(other);
    return Object.entries(countsOf(score)).flatMap(([count, value]) => {
      const otherValue = otherCounts[count] ?? 0;
      const differs = Math.abs(value - otherValue) > TOLERANCE * Math.max(value, otherValue);
      return differs ? [`${name}: ${count} ${value} and ${otherValue}`] : [];
    });
  });
}

/** One line for each pair of clients of which one is significantly better in one run, and the other in the other. */
export function turnedPairs(a: readonly Cell[], b: readonly Cell[], troubles: Troubles): readonly string[] {
  const first = [...scoresOf(a, troubles)];
  const second = scoresOf(b, troubles);
  return first.flatMap(([name, score]) =>
    first.flatMap(([otherName, otherScore]) => {
      const again = second.get(name);
      const otherAgain = second.get(otherName);
      if (again === undefined || otherAgain === undefined || troubleOf(name) !== troubleOf(otherName)) return [];
      const isTurned = isBetter(score, otherScore) && isBetter(otherAgain, again);
      return isTurned ? [`${name} is better than ${otherName} in the first run, and worse in the second`] : [];
    }),
  );
}

const isBetter = (score: Score, other: Score): boolean => score.endedWell.low > other.endedWell.high;

const troubleOf = (name: string): string => name.split(' | ')[0] ?? '';

function scoresOf(cells: readonly Cell[], troubles: Troubles): ReadonlyMap<string, Score> {
  const groups = Map.groupBy(cells, ({ client, setting, trouble }) => `${trouble} | ${client}, ${setting}`);
  return new Map(
    [...groups].map(([name, group]) => [
      name,
      scoreOf(group, troubles.get(group[0]?.trouble ?? '')?.endsWellWith ?? 'answer'),
    ]),
  );
}

/** What is counted, without the times. */
function countsOf(score: Score): Readonly<Record<string, number>> {
  const { calls, wrong, shownTwice, early, afterPermanent, toolsTwice } = score;
  return {
    calls,
    wrong,
    shownTwice,
    early,
    afterPermanent,
    toolsTwice,
    answered: score.answered.mean,
    endedWell: score.endedWell.mean,
    requestsPerCall: score.requestsPerCall.mean,
    outputPerAnswer: score.outputPerAnswer,
  };
}
