/**
 * Runs the baseline and the subject in turn, in one process: AB, BA, AB, … A slow second of the machine then affects
 * both, and neither always runs after the garbage of the other.
 */

export type Sample<T = number> = () => Promise<T>;

/** The values of one round have the same index. */
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
    // Gives timers and the garbage collector their turn outside of the samples.
    await nextTurn();
  }
  return pairs;
}

/** One value of samples with several values. */
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
