/**
 * Detects a limit on concurrent requests. Servers with such a limit refuse at once and name no time, and no pace fits
 * them. But the number of requests in flight when an attempt was sent distinguishes its refusal from its success. If it
 * does not, because the limit is another one or other processes share it, no such limit is detected.
 */

/** Higher limits are not searched for. */
const MOST = 64;
/**
 * A limit counts from this many successes and as many refusals on, if at most this share of the fewer is on its wrong
 * side. A share of 0.1 or 0.3 does the same.
 */
const FEWEST = 8;
const MOST_WRONG = 0.2;
/** Old counts fade with each new one: a limit that has changed is found again after some 300 attempts. */
const KEPT = 0.9967;

export class ConcurrencyLimit {
  /** The number of requests that the server handles at a time; null: no such limit is detected. */
  limit: number | null = null;
  #served: readonly number[] = Array.from({ length: MOST }, () => 0);
  #refused: readonly number[] = this.#served;

  /** Counts an attempt that was sent while this many others were in flight. */
  add(others: number, wasServed: boolean): void {
    if (others >= MOST) return;
    const add = (counts: readonly number[], count: number): readonly number[] =>
      counts.map((before, index) => KEPT * before + (index === others ? count : 0));
    this.#served = add(this.#served, wasServed ? 1 : 0);
    this.#refused = add(this.#refused, wasServed ? 0 : 1);
    this.limit = this.#find();
  }

  /** The number that leaves the fewest refusals below it and the fewest successes above. */
  #find(): number | null {
    const [served, refused] = [sum(this.#served), sum(this.#refused)];
    if (served < FEWEST || refused < FEWEST) return null;
    let [limit, wrong, fewestWrong] = [0, served, served];
    for (let below = 0; below + 1 < MOST; below += 1) {
      wrong += (this.#refused[below] ?? 0) - (this.#served[below] ?? 0);
      if (wrong < fewestWrong) [limit, fewestWrong] = [below + 1, wrong];
    }
    return limit > 0 && fewestWrong <= MOST_WRONG * Math.min(served, refused) ? limit : null;
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((one, other) => one + other, 0);
