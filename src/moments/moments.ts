/**
 * The one memory of "not before then": of a target, of a key, of a call that was given up. It is bounded. A moment that
 * a server named blocks; a guess only puts others first.
 */

/** Why something is not used yet. */
export interface Moment<F> {
  readonly atMs: number;
  readonly because: F;
  /** Whether a server named it. */
  readonly isNamed: boolean;
}

const MOST = 1_000;

/** `F`: what is told of the reason. All times are by one clock of the caller. */
export class Moments<K, F> {
  readonly #held = new Map<K, Moment<F>>();

  /** The usual case, which costs no look-up. */
  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /** A later moment that is known already is kept. */
  hold(key: K, atMs: number, because: F, isNamed: boolean): void {
    if ((this.#held.get(key)?.atMs ?? 0) >= atMs) return;
    this.#held.delete(key);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size < MOST) break;
      this.#held.delete(oldest);
    }
    this.#held.set(key, { atMs, because, isNamed });
  }

  /** The moment of a key that has not come; undefined: it may be used. */
  until(key: K, nowMs: number): Moment<F> | undefined {
    if (this.isEmpty) return undefined;
    const moment = this.#held.get(key);
    if (moment === undefined || moment.atMs > nowMs) return moment;
    this.#held.delete(key);
    return undefined;
  }

  /** How long a key is held; 0: not at all. */
  left(key: K, nowMs: number): number {
    const moment = this.until(key, nowMs);
    return moment === undefined ? 0 : moment.atMs - nowMs;
  }
}
