/**
 * The one memory of "not before then": of a target, of a key. It is bounded. A moment that a server named is waited for;
 * a guess only puts others first.
 */

/** Why something is not used yet. */
export interface Moment<F> {
  readonly atMs: number;
  readonly because: F;
  /** Whether a server named it. */
  readonly isNamed: boolean;
}

const MOST = 1_000;
/** The clocks drift apart a little. A larger difference is a sleep of the machine, or a clock that was set. */
const MOST_DRIFT_MS = 1_000;

/** `F`: what is told of the reason. All times are by the monotonic clock. */
export class Moments<K, F> {
  readonly #held = new Map<K, Moment<F>>();
  /** By how much the wall clock is ahead. */
  #aheadMs: number | undefined;
  /** The time that the monotonic clock has missed. */
  #missedMs = 0;

  /** The usual case, which costs no look-up. */
  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /**
   * Compares the clocks: the monotonic one may stop while the machine sleeps, and the wall clock may be set back. A moment
   * has come when one of them says so. Called before the other methods.
   */
  compare(wallMs: number, monotonicMs: number): void {
    const aheadMs = wallMs - monotonicMs;
    const missedMs = aheadMs - (this.#aheadMs ?? aheadMs);
    if (missedMs > MOST_DRIFT_MS) this.#missedMs += missedMs;
    if (missedMs > MOST_DRIFT_MS || missedMs < 0 || this.#aheadMs === undefined) this.#aheadMs = aheadMs;
  }

  /**
   * Holds a key for so long from now. The latest moment of a key is kept; one that a server named, and that has not come,
   * counts for more than a guess.
   */
  hold(key: K, nowMs: number, forMs: number, because: F, isNamed: boolean): void {
    const atMs = nowMs + forMs;
    const known = this.until(key, nowMs);
    const isLater = known === undefined || known.atMs < atMs;
    if (known?.atMs === Infinity || (known?.isNamed === isNamed ? !isLater : known?.isNamed)) return;
    this.#held.delete(key);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size < MOST) break;
      this.#held.delete(oldest);
    }
    this.#held.set(key, { atMs: atMs + this.#missedMs, because, isNamed });
  }

  /** The moment of a key that has not come; undefined: it may be used. */
  until(key: K, nowMs: number): Moment<F> | undefined {
    if (this.isEmpty) return undefined;
    const moment = this.#held.get(key);
    if (moment === undefined) return undefined;
    const atMs = moment.atMs - this.#missedMs;
    if (atMs > nowMs) return { ...moment, atMs };
    this.#held.delete(key);
    return undefined;
  }

  /** How long a key is held; 0: not at all. */
  left(key: K, nowMs: number): number {
    const moment = this.until(key, nowMs);
    return moment === undefined ? 0 : moment.atMs - nowMs;
  }
}
