/**
 * Shortens waits for tests. Our own waits are skipped through the runtime. The SDKs accept no clock, so timers that
 * their code sets run a thousand times as fast; all other timers stay real, including those of `fetch`. One clock moves
 * by the waits that are over, so that a server can detect a request that came too early.
 */

import type { Runtime } from '../../src/index.ts';

const SPEED = 1000;
/** The longest backoff of an SDK. A longer timer is a limit on a request, or obeys a hint. */
const LONGEST_BACKOFF_MS = 120_000;
/** A timer of this length or more obeys a hint that does not end within a test. */
const HOUR_MS = 3_600_000;
const SDK_CODE = /\/tools\/(?:sdks\/)?node_modules\//;

export interface SkippingRuntime extends Runtime {
  /** The requested waits, in order. */
  readonly slept: number[];
}

export interface FastTime {
  /** Moves only by the waits, as if nothing else took time. */
  readonly now: () => number;
  /** A runtime whose waits end at once. */
  readonly runtime: () => SkippingRuntime;
  /** Called for a wait of an hour or more that an SDK begins; the wait itself continues. */
  onLongWait: ((waitMs: number) => void) | undefined;
  /** Restores the real `setTimeout`. */
  readonly end: () => void;
}

/** Replaces `setTimeout` until `end`. */
export function startFastTime(): FastTime {
  const realSetTimeout = globalThis.setTimeout;
  let nowMs = Date.now();
  const time: FastTime = {
    now: () => nowMs,
    runtime() {
      const slept: number[] = [];
      const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
        signal?.throwIfAborted();
        slept.push(ms);
        nowMs += ms;
      };
      return { slept, now: time.now, random: Math.random, sleep };
    },
    onLongWait: undefined,
    end: () => {
      globalThis.setTimeout = realSetTimeout;
    },
  };
  globalThis.setTimeout = new Proxy(realSetTimeout, {
    apply(target, receiver, [run, delay, ...rest]: [run: (...args: unknown[]) => void, delay: unknown, ...unknown[]]) {
      const setBy = new Error('sets a timer').stack?.split('\n')[2] ?? '';
      const delayMs = Number(delay ?? 0);
      if (SDK_CODE.test(setBy) && delayMs >= HOUR_MS) time.onLongWait?.(delayMs);
      if (!SDK_CODE.test(setBy) || delayMs > LONGEST_BACKOFF_MS) {
        return Reflect.apply(target, receiver, [run, delay, ...rest]);
      }
      const fire = (): void => {
        nowMs += delayMs;
        run(...rest);
      };
      return Reflect.apply(target, receiver, [fire, delayMs / SPEED]);
    },
  });
  return time;
}
