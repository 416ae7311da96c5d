/**
 * The two clocks of a stream that is read: one for any byte, one for output. They run only while a read is pending, so
 * that a slow reader is never blamed.
 */

import { type Alarm, createAlarm, startTimer, systemRuntime } from '../runtime/runtime.ts';
import type { StallKind } from './stream-errors.ts';

/** The limits of a stream that is read. */
export interface StallLimits {
  /** The longest wait for any byte. */
  readonly idleTimeoutMs: number;
  /** The longest wait for an event that is no ping. */
  readonly outputTimeoutMs: number;
}

/** The limits where none are given. */
export const STALL_LIMITS: StallLimits = /* @__PURE__ */ Object.freeze({
  idleTimeoutMs: 180_000,
  outputTimeoutMs: 300_000,
});

/** A read that waits behind a blocked event loop needs a turn in which the socket is read. */
const LOOK_AGAIN_MS = 10;
const MAX_LOOKS = 3;
/** A reader that takes less time between two reads does not pause. */
const SHORTEST_PAUSE_MS = 100;

export class StallClocks {
  readonly #onStall: (kind: StallKind, afterMs: number) => void;
  readonly #limits: StallLimits;
  readonly #idle: Alarm;
  readonly #silent: Alarm;
  #isPending = false;
  #isOpen = true;
  /** How many reads have begun, and how many chunks had output. */
  #reads = 0;
  #outputs = 0;
  /** The output after which the clock for output was started. */
  #countedFrom = -1;
  /** When the last chunk arrived, if it had no output. */
  #arrivedMs: number | undefined;
  /** How long no read was pending while the clock for output ran. */
  #pausedMs = 0;

  /** `onStall` is called once at most. */
  constructor(limits: StallLimits, onStall: (kind: StallKind, afterMs: number) => void) {
    this.#limits = limits;
    this.#onStall = onStall;
    this.#idle = createAlarm(limits.idleTimeoutMs, () => this.#onTime('bytes'));
    this.#silent = createAlarm(limits.outputTimeoutMs, () => this.#onTime('output'));
  }

  /** A read has begun. */
  begin(): void {
    if (!this.#isOpen) return;
    this.#reads += 1;
    this.#isPending = true;
    this.#idle.restart();
    if (this.#countedFrom !== this.#outputs) {
      this.#countedFrom = this.#outputs;
      this.#pausedMs = 0;
      this.#silent.restart();
    } else if (this.#arrivedMs !== undefined) {
      const pauseMs = systemRuntime.monotonic() - this.#arrivedMs;
      if (pauseMs >= SHORTEST_PAUSE_MS) this.#pausedMs += pauseMs;
    }
    this.#arrivedMs = undefined;
  }

  /** The read has brought a chunk. `mayPause`: whether the reader decides when the next one begins. */
  arrive(hasOutput: boolean, mayPause: boolean): void {
    this.#isPending = false;
    if (hasOutput) this.#outputs += 1;
    else if (mayPause) this.#arrivedMs = systemRuntime.monotonic();
  }

  stop(): void {
    this.#isOpen = false;
    this.#idle.stop();
    this.#silent.stop();
  }

  #onTime(kind: StallKind): void {
    if (kind === 'output' && this.#pausedMs > 0) {
      this.#silent.restart(this.#pausedMs);
      this.#pausedMs = 0;
    } else if (this.#isPending) {
      this.#lookAgain(kind, this.#reads, this.#outputs, 1);
    } else if (kind === 'output') {
      // No read is pending, so the clock starts anew with the next one.
      this.#countedFrom = -1;
    }
  }

  /** After a blocked event loop, the timer fires before the chunks that have arrived can be read. */
  #lookAgain(kind: StallKind, reads: number, outputs: number, looks: number): void {
    startTimer(LOOK_AGAIN_MS, () => {
      const hasRead = this.#reads !== reads || !this.#isPending;
      const hasMoved = kind === 'bytes' ? hasRead : this.#outputs !== outputs;
      if (!this.#isOpen || hasMoved) return;
      if (hasRead && looks < MAX_LOOKS) {
        this.#lookAgain(kind, this.#reads, outputs, looks + 1);
        return;
      }
      this.stop();
      this.#onStall(kind, kind === 'bytes' ? this.#limits.idleTimeoutMs : this.#limits.outputTimeoutMs);
    });
  }
}
