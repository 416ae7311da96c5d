/**
 * The baseline and the subject in turn, in one process: AB, BA, AB, … What slows the machine down for a second then meets
 * both, and no round is always the one after the other's garbage.
 */

export type Sample<T = number> = () => Promise<T>;

/** What belongs to one round has one index. */
export interface Pairs<T = number> {
  readonly baseline: readonly T[];
  readonly subject: readonly T[];
}

export async function alternate<T>(baseline: Sample<T>, subject: Sample<T>, rounds: number): Promise<Pairs<T>> {
  const pairs = { baseline: new Array<T>(), subject: new Array<T>() };
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) pairs.baseline.push(await baseline());
    pairs.subject.push(await subject());
    if (round % 2 === 1) pairs.baseline.push(await baseline());
    // Lets timers and the collector of garbage have their turn outside of the samples.
    await nextTurn();
  }
  return pairs;
}

/** One value of samples that have several. */
export const readEach = <T>({ baseline, subject }: Pairs<T>, read: (sample: T) => number): Pairs => ({
  baseline: baseline.map(read),
  subject: subject.map(read),
});

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
