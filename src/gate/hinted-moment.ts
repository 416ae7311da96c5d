/**
 * What the hints of refusals say together. Hints that agree on a moment name the end of a window: nothing gets through
 * before it. Hints that agree on nothing are those of single calls, and each binds only the call that got it.
 */

/** Hints within this distance name the same moment, or the same time; they may be rounded. */
const SAME_MS = 1_100;
/** So many hints in a row that agree with neither the moment nor the time of the one before are those of single calls. */
const SINGLE_HINTS = 3;
/** Hints that are too long by a factor name an earlier moment each time. */
const EARLIER_HINTS = 3;
/**
 * After such hints, or a success long before the moment, hints say nothing about other calls for so long. A success after
 * this share of the time is not long before it: the hint was only too long.
 */
const DISTRUSTED_MS = 60_000;
const EARLY_SHARE = 0.1;

export class HintedMoment {
  /** When the server is back according to hints; the earliest of those that agree, because it is rounded the least. */
  atMs = 0;
  #agreeing = 0;
  #lastMs = 0;
  #lastAtMs = 0;
  #earlier = 0;
  #heardMs = 0;
  #disagreeing = 0;
  #singleUntilMs: number = -Infinity;
  #distrustedUntilMs: number = -Infinity;

  hear(hintMs: number, nowMs: number): void {
    const untilMs = nowMs + hintMs;
    const isSameMoment = Math.abs(untilMs - this.atMs) < SAME_MS;
    const isSameTime = Math.abs(hintMs - this.#lastMs) < SAME_MS;
    this.#earlier = untilMs < this.#lastAtMs ? this.#earlier + 1 : 0;
    const isOfAll = isSameMoment || isSameTime || this.#earlier >= EARLIER_HINTS || this.#lastMs === 0;
    this.#disagreeing = isOfAll ? 0 : this.#disagreeing + 1;
    [this.#lastMs, this.#lastAtMs] = [hintMs, untilMs];
    if (this.#disagreeing >= SINGLE_HINTS) this.#singleUntilMs = nowMs + DISTRUSTED_MS;
    if (nowMs < this.#distrustedUntilMs) return;
    this.#heardMs = nowMs;
    this.atMs = isSameMoment ? Math.min(untilMs, this.atMs) : untilMs;
    this.#agreeing = isSameMoment ? this.#agreeing + 1 : 0;
  }

  /** Hears of the success of a request that was sent then. */
  served(sentMs: number, nowMs: number): void {
    if (this.atMs <= nowMs + SAME_MS || sentMs <= this.#heardMs) return;
    if (nowMs - this.#heardMs > EARLY_SHARE * (this.atMs - this.#heardMs)) return;
    this.#distrustedUntilMs = nowMs + DISTRUSTED_MS;
    [this.atMs, this.#agreeing] = [0, 0];
  }

  /** Nothing gets through, and a call was refused that had waited for its hint: hints are not those of single calls. */
  refusedInSpiteOfHint(): void {
    this.#disagreeing = 0;
    this.#singleUntilMs = -Infinity;
  }

  /** Whether several hints agree. */
  get isAgreed(): boolean {
    return this.#agreeing >= 2;
  }

  /** Whether hints are those of single calls. */
  isOfSingleCalls(nowMs: number): boolean {
    return nowMs < this.#singleUntilMs;
  }
}
