/**
 * The baseline and the subject in turn, in one process: AB, BA, AB, … What slows the machine down for a second then meets
 * both, and no round is always the one after the other's garbage.
 */

export type Sample = () => Promise<number>;

export interface Pairs {
  readonly baseline: readonly number[];
  readonly subject: readonly number[];
}

export async function alternate(baseline: Sample, subject: Sample, rounds: number): Promise<Pairs> {
  const pairs = { baseline: new Array<number>(), subject: new Array<number>() };
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) pairs.baseline.push(await baseline());
    pairs.subject.push(await subject());
    if (round % 2 === 1) pairs.baseline.push(await baseline());
    // Lets timers and the collector of garbage have their turn outside of the samples.
    await nextTurn();
  }
  return pairs;
}

export const ratiosOf = ({ baseline, subject }: Pairs): number[] => eachPair(baseline, subject, (a, b) => b / a);
export const differencesOf = ({ baseline, subject }: Pairs): number[] => eachPair(baseline, subject, (a, b) => b - a);

function eachPair(
  baseline: readonly number[],
  subject: readonly number[],
  compare: (baseline: number, subject: number) => number,
): number[] {
  return subject.map((value, index) => compare(baseline[index] ?? Number.NaN, value));
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
