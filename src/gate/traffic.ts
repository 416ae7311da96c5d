/**
 * The recent outcomes of attempts: enough for the server's rate of successes and its share of refusals. The counts
 * fade: after `FADING_MS` an attempt counts a third of what it did at first.
 */

const FADING_MS = 5_000;
const FORGOTTEN_MS = 20_000;
/** Fewer refusals are not enough for a share. */
const FEWEST_REFUSALS = 3;
const FEWEST_RETRIES = 2;

export class Traffic {
  lastSuccessMs: number = -Infinity;
  #served = 0;
  #refused = 0;
  #retries = 0;
  #retriesRefused = 0;
  /** The time that the counts cover. */
  #coveredMs = 0;
  #asOfMs: number;

  constructor(nowMs: number) {
    this.#asOfMs = nowMs;
  }

  /** Counts one attempt. */
  add(nowMs: number, served: boolean, isRetry: boolean): void {
    this.#fade(nowMs);
    if (isRetry) this.#retries += 1;
    if (served) {
      this.#served += 1;
      this.lastSuccessMs = nowMs;
    } else {
      this.#refused += 1;
      if (isRetry) this.#retriesRefused += 1;
    }
  }

  /** Successes per second. */
  servedPerSecond(nowMs: number): number {
    this.#fade(nowMs);
    return this.#served / this.#coveredS;
  }

  /** First attempts per second that have ended. */
  firstAttemptsPerSecond(nowMs: number): number {
    this.#fade(nowMs);
    return (this.#served + this.#refused - this.#retries) / this.#coveredS;
  }

  /** The share of refusals among all attempts, and among retries alone; 0 if there were too few. */
  refusedShares(nowMs: number): { readonly attempts: number; readonly retries: number } {
    this.#fade(nowMs);
    const [served, refused, retries] = [this.#served, this.#refused, this.#retries];
    return {
      attempts: refused < FEWEST_REFUSALS ? 0 : refused / (refused + served),
      retries: retries < FEWEST_RETRIES ? 0 : this.#retriesRefused / retries,
    };
  }

  /** Whether the last attempt was so long ago that there is nothing to remember. */
  isForgotten(nowMs: number): boolean {
    return nowMs - this.#asOfMs > FORGOTTEN_MS;
  }

  get #coveredS(): number {
    return Math.max(1_000, this.#coveredMs) / 1_000;
  }

  #fade(nowMs: number): void {
    // An injected clock may go back.
    const passedMs = Math.max(0, nowMs - this.#asOfMs);
    const kept = this.isForgotten(nowMs) ? 0 : Math.exp(-passedMs / FADING_MS);
    this.#served *= kept;
    this.#refused *= kept;
    this.#retries *= kept;
    this.#retriesRefused *= kept;
    this.#coveredMs = kept === 0 ? 0 : FADING_MS + (this.#coveredMs - FADING_MS) * kept;
    this.#asOfMs = nowMs;
  }
}
