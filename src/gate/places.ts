/**
 * A limit on requests at a time, as far as answers show one. Servers with such a limit refuse at once and name no time, and
 * no pace fits them. But how many requests were under way when an attempt was sent tells its refusal from its success. Where
 * that number tells nothing, because the limit is another or other processes share it, there is none for this gate.
 */

/** Higher limits are not looked for. */
const MOST = 64;
/**
 * From so many successes and as many refusals on a limit is believed, if at most this share of the fewer is on its wrong
 * side. `bench/limiters`: found in every row with such a limit, and in one of 100 others for 1 % of the time; shares of
 * 0.1 and 0.3 do the same.
 */
const FEWEST = 8;
const MOST_WRONG = 0.2;
/** After so many attempts, old counts are halved: a limit that has changed is found again. */
const REMEMBERED = 400;

export class Places {
  /** How many requests the server works on at a time; null: no such limit is to be seen. */
  limit: number | null = null;
  readonly #served = new Float32Array(MOST);
  readonly #refused = new Float32Array(MOST);
  #total = 0;

  /** Counts an attempt that was sent while so many others were under way. */
  add(others: number, wasServed: boolean): void {
    if (others >= MOST) return;
    const counts = wasServed ? this.#served : this.#refused;
    counts[others] = (counts[others] ?? 0) + 1;
    this.#total += 1;
    if (this.#total > REMEMBERED) {
      this.#served.forEach((count, index) => (this.#served[index] = count / 2));
      this.#refused.forEach((count, index) => (this.#refused[index] = count / 2));
      this.#total /= 2;
    }
    this.limit = this.#find();
  }

  /** The number that leaves the fewest refusals below it and the fewest successes above. */
  #find(): number | null {
    const served = this.#served.reduce((sum, count) => sum + count, 0);
    const refused = this.#refused.reduce((sum, count) => sum + count, 0);
    if (served < FEWEST || refused < FEWEST) return null;
    let [limit, wrong, fewestWrong] = [0, served, served];
    for (let below = 0; below + 1 < MOST; below += 1) {
      wrong += (this.#refused[below] ?? 0) - (this.#served[below] ?? 0);
      if (wrong < fewestWrong) [limit, fewestWrong] = [below + 1, wrong];
    }
    return limit > 0 && fewestWrong <= MOST_WRONG * Math.min(served, refused) ? limit : null;
  }
}
