/**
 * How long the reader of a stream has waited: for any byte, and for output. Only the time in which a read is pending
 * counts, so that a slow reader is never blamed.
 */

import { lookAgain, startIdleTimer, startWatchedTimer, systemRuntime } from '../runtime/runtime.ts';
import type { StallKind } from './stream-errors.ts';

/** The limits of a stream that is read. */
export interface StallLimits {
  /** The longest wait for any byte. */
  readonly idleTimeoutMs: number;
  /** The longest wait for an event that is no ping. */
  readonly outputTimeoutMs: number;
}

/** Whether any silence is too long. */
export function hasLimits({ idleTimeoutMs, outputTimeoutMs }: StallLimits): boolean {
  return Math.min(idleTimeoutMs, outputTimeoutMs) !== Infinity;
}

/** Called when a limit was exceeded. */
export type OnStall = (kind: StallKind, afterMs: number) => void;

/** The limits where none are given. */
export const STALL_LIMITS: StallLimits = { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };

export class StallClocks {
  #limits: StallLimits;
  readonly #onStall: OnStall;
  /** Since when a read is pending. */
  #since: number | undefined;
  /** How long the reads before it have waited without output. */
  #silentMs = 0;
  #cancelTimer: (() => void) | undefined;
  /** The read that was pending when the timer was started, by its beginning. */
  #timedSince: number | undefined;
  /** How long that read has waited when the timer fires. */
  #timedMs = 0;
  readonly #startTimer: typeof startIdleTimer;

  /**
   * `onStall` is called once at most, and not if both limits are Infinity. `start`: a timer that keeps the process alive
   * where a call waits for it; a stream whose reader has left must not keep it.
   */
  constructor(limits: StallLimits, onStall: OnStall, start: typeof startIdleTimer = startIdleTimer) {
    this.#limits = limits;
    this.#onStall = onStall;
    this.#startTimer = start;
  }

  /** A read has begun. */
  begin(): void {
    this.#since = systemRuntime.monotonic();
    // One timer serves many reads: when it fires, it looks how long the last one has waited.
    if (this.#cancelTimer === undefined) this.#look();
  }

  /** The read has brought a chunk. */
  arrive(hasOutput: boolean): void {
    if (hasOutput) this.#silentMs = 0;
    else if (this.#since !== undefined) this.#silentMs += systemRuntime.monotonic() - this.#since;
    this.#since = undefined;
  }

  /** Other limits hold from now on. */
  change(limits: StallLimits): void {
    this.#limits = limits;
    this.stop();
  }

  stop(): void {
    this.#since = undefined;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    // The next read may begin at the same time, where the clock is coarse.
    this.#timedSince = undefined;
  }

  readonly #look = (isLate = false, isLast = false): void => {
    this.#cancelTimer = undefined;
    if (this.#since === undefined) return;
    const { idleTimeoutMs, outputTimeoutMs } = this.#limits;
    // Fake timers may replace `setTimeout` alone: then only the timer knows how long a read has waited.
    const timedMs = this.#timedSince === this.#since ? this.#timedMs : 0;
    const waitedMs = Math.max(systemRuntime.monotonic() - this.#since, timedMs);
    const silentForMs = outputTimeoutMs - this.#silentMs;
    const leftMs = Math.min(idleTimeoutMs, silentForMs) - waitedMs;
    if (leftMs === Infinity) return;
    this.#timedSince = this.#since;
    this.#timedMs = waitedMs + Math.ceil(Math.max(leftMs, 0));
    if (leftMs > 0) this.#cancelTimer = startWatchedTimer(this.#startTimer, Math.ceil(leftMs), this.#look);
    else if (!isLast) this.#cancelTimer = lookAgain(isLate, this.#lookLast, () => this.#since, this.#startTimer);
    else if (waitedMs >= idleTimeoutMs) this.#onStall('bytes', idleTimeoutMs);
    else this.#onStall('output', outputTimeoutMs);
  };

  readonly #lookLast = (): void => this.#look(false, true);
}
