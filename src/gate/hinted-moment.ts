/**
 * What the hints of refusals say together. Hints that agree on a moment name the end of a window: nothing gets through
 * before it. Hints that agree on nothing are those of single calls, and each binds only the call that got it.
 */

/** Hints within this distance name the same moment, or the same time; they may be rounded. */
const SAME_MS = 1_100;
/** So many hints in a row that agree with neither the moment nor the time of the one before are those of single calls. */
const SINGLE_HINTS = 3;
/** After such hints each binds only the call that got it, for so long. */
const SINGLE_MS = 60_000;

export class HintedMoment {
  /** When the server is back according to hints; the earliest of those that agree, because it is rounded the least. */
  atMs = 0;
  #agreeing = 0;
  #lastMs = 0;
  #disagreeing = 0;
  #singleUntilMs: number = -Infinity;

  hear(hintMs: number, nowMs: number): void {
    const untilMs = nowMs + hintMs;
    const isSameMoment = Math.abs(untilMs - this.atMs) < SAME_MS;
    const isSameTime = Math.abs(hintMs - this.#lastMs) < SAME_MS;
    this.#disagreeing = isSameMoment || isSameTime || this.#lastMs === 0 ? 0 : this.#disagreeing + 1;
    this.#lastMs = hintMs;
    if (this.#disagreeing >= SINGLE_HINTS) this.#singleUntilMs = nowMs + SINGLE_MS;
    this.atMs = isSameMoment ? Math.min(untilMs, this.atMs) : untilMs;
    this.#agreeing = isSameMoment ? this.#agreeing + 1 : 0;
  }

  /** The server is back. */
  forget(): void {
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
