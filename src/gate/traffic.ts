/**
 * What the attempts of the last ten seconds ended in, second by second: enough to tell what a server delivers, and which
 * share of the attempts it refuses.
 */

const SECONDS = 10;

/** The four counts of a second, in the order in which they are kept. */
const SERVED = 0;
const REFUSED = 1;
const RETRIED = 2;
const RETRY_REFUSED = 3;
const COUNTS = 4;

/** Counts of the last ten seconds. */
export class Traffic {
  readonly #counts = new Uint32Array(COUNTS * SECONDS);
  #second = 0;
  #sinceMs = 0;

  /** Counts one attempt. */
  add(nowMs: number, served: boolean, isRetry: boolean): void {
    this.#advance(nowMs);
    this.#increase(served ? SERVED : REFUSED);
    if (isRetry) this.#increase(RETRIED);
    if (isRetry && !served) this.#increase(RETRY_REFUSED);
  }

  /** Takes over successes that were counted since a moment. */
  remember(nowMs: number, sinceMs: number, served: number): void {
    const fromMs = Math.max(sinceMs, nowMs - (SECONDS - 1) * 1_000);
    const kept = Math.round((served * (nowMs - fromMs)) / Math.max(1, nowMs - sinceMs));
    this.#advance(fromMs);
    this.#sinceMs = fromMs;
    for (let count = 0; count < kept; count += 1) {
      this.#advance(fromMs + ((count + 0.5) / kept) * (nowMs - fromMs));
      this.#increase(SERVED);
    }
    this.#advance(nowMs);
  }

  /** Successes per second. */
  servedPerSecond(nowMs: number): number {
    this.#advance(nowMs);
    return (this.#sum(SERVED) * 1_000) / this.#coveredMs(nowMs);
  }

  /** First attempts per second that have ended. */
  firstAttemptsPerSecond(nowMs: number): number {
    this.#advance(nowMs);
    const first = this.#sum(SERVED) + this.#sum(REFUSED) - this.#sum(RETRIED);
    return (first * 1_000) / this.#coveredMs(nowMs);
  }

  /** Which share of all attempts was refused, and of the retries alone; 0 where there were too few to say. */
  refusedShares(nowMs: number): { readonly attempts: number; readonly retries: number } {
    this.#advance(nowMs);
    const refused = this.#sum(REFUSED);
    const retried = this.#sum(RETRIED);
    return {
      attempts: refused < FEWEST_REFUSALS ? 0 : refused / (refused + this.#sum(SERVED)),
      retries: retried < FEWEST_RETRIES ? 0 : this.#sum(RETRY_REFUSED) / retried,
    };
  }

  /** Whether nothing has been counted for so long that there is nothing to remember. */
  isForgotten(nowMs: number): boolean {
    return Math.floor(nowMs / 1_000) - this.#second >= SECONDS;
  }

  /** The oldest second of the ring is gone, the present one has only begun. */
  #coveredMs(nowMs: number): number {
    return Math.max(1_000, Math.min((SECONDS - 1) * 1_000 + (nowMs % 1_000), nowMs - this.#sinceMs));
  }

  #increase(count: number): void {
    const index = (this.#second % SECONDS) * COUNTS + count;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  #sum(count: number): number {
    let sum = 0;
    for (let index = count; index < this.#counts.length; index += COUNTS) sum += this.#counts[index] ?? 0;
    return sum;
  }

  #advance(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    if (second - this.#second >= SECONDS) {
      this.#counts.fill(0);
      this.#second = second;
      this.#sinceMs = nowMs;
    }
    while (this.#second < second) {
      this.#second += 1;
      const from = (this.#second % SECONDS) * COUNTS;
      this.#counts.fill(0, from, from + COUNTS);
    }
  }
}

const FEWEST_REFUSALS = 4;
const FEWEST_RETRIES = 3;
