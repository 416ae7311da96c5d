/**
 * The one place that knows time, chance and timers. Everything else is handed a {@link Runtime}, so that a test can
 * script the clock and eight hours of waiting pass in a microtask.
 */

/** Time, chance and waiting. Every part can be replaced on its own. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** From 0 (included) to 1 (excluded). */
  random(): number;
  /**
   * Resolves after `ms` milliseconds; rejects with `signal.reason` as soon as the signal aborts. Called once per wait.
   * A rejection for any other reason rejects the call.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Milliseconds on a clock that is never set back or forward. Holds, rests and probes go by it.
   *
   * @default `performance.now`; where `now` is injected, the injected `now`
   */
  monotonic?(): number;
}

/** Longer timers would fire at once where the delay exceeds 2^31 − 1, and fire late after a suspended machine. */
const LONGEST_TIMER_MS = 60_000;

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const wallStart = ms > LONGEST_TIMER_MS ? Date.now() : Number.NaN;
    const start = performance.now();
    let corrected = false;
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const onTimer = (): void => {
      const left = remaining();
      if (left > 0) {
        timer = setTimeout(onTimer, Math.min(left, LONGEST_TIMER_MS));
        return;
      }
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    const remaining = (): number => {
      const left = ms - (performance.now() - start);
      if (ms > LONGEST_TIMER_MS) {
        // A suspended machine stops the monotonic clock, a clock set back stops the wall clock: either one may end it.
        return Math.min(left, ms - (Date.now() - wallStart));
      }
      // Timers count whole milliseconds and may fire a fraction early; a hint must not be beaten even by that.
      if (corrected || left <= 0 || left >= 1) return 0;
      corrected = true;
      return 1;
    };
    let timer = setTimeout(onTimer, Math.min(Math.ceil(ms), LONGEST_TIMER_MS));
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The real clock, the real dice, real timers. Each global is looked up when it is used. */
export const systemRuntime: Required<Runtime> = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  sleep,
};

/** Calls `onTime` once after `ms`; the returned function takes it back. For limits on I/O, never for waits. */
export function startTimer(ms: number, onTime: () => void): () => void {
  const timer = setTimeout(onTime, Math.min(ms, 2 ** 31 - 1));
  return () => clearTimeout(timer);
}

/** A random identifier: for request ids and idempotency keys. */
export function createId(): string {
  // Pages without TLS have no randomUUID.
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  let id = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += byte.toString(16).padStart(2, '0');
  return id;
}
