/**
 * The only place with a clock, random numbers and timers. All other code gets a {@link Runtime}, so that a test can
 * replace the clock and wait eight hours in a microtask.
 */

import { processWide } from './process-wide.ts';

/** Clock, random numbers and sleep. Each part can be replaced. */
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
   * Milliseconds on a clock that is never adjusted. Holds, rests and probes use it.
   *
   * @default `performance.now`, or the injected `now` if there is one
   */
  monotonic?(): number;
}

/** A timer above 2^31 − 1 ms fires at once, and a long one fires late after the machine was suspended. */
const LONGEST_TIMER_MS = 60_000;

/**
 * A suspended machine and a clock that is set forward look the same: the wall clock is ahead of the monotonic one. A wait
 * of up to ten minutes goes by the monotonic clock alone, so that a clock that is set never makes it end before the time
 * of a hint; after a suspension the rest of it is still waited. In a longer wait the wall clock counts too, because its
 * rest may be hours.
 */
const LONGEST_MONOTONIC_WAIT_MS = 600_000;

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    if (processWide()?.skipsWaits) {
      resolve();
      return;
    }
    const isLong = ms > LONGEST_TIMER_MS;
    const [start, wallStart] = [performance.now(), Date.now()];
    let timerMs = Math.min(Math.ceil(ms), LONGEST_TIMER_MS);
    /** The timers that have fired. */
    let firedMs = 0;
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const finish = (): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    const onTimer = (): void => {
      firedMs += timerMs;
      const monotonicMs = performance.now() - start;
      const wallMs = ms > LONGEST_MONOTONIC_WAIT_MS ? Date.now() - wallStart : 0;
      // Fake timers may leave both clocks as they are; a real one never fires so much before its time.
      const countedMs = firedMs > monotonicMs + LONGEST_TIMER_MS / 2 ? firedMs : 0;
      const left = ms - (isLong ? Math.max(monotonicMs, wallMs, countedMs) : monotonicMs);
      if (isLong && left > 0) {
        timerMs = Math.min(left, LONGEST_TIMER_MS);
        timer = setTimeout(onTimer, timerMs);
      }
      // A timer may fire a fraction of a millisecond early, and a request must not be sent before the time of its hint.
      else if (left > 0 && left < 1) timer = setTimeout(finish, 1);
      else finish();
    };
    let timer = setTimeout(onTimer, timerMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The real clock, random numbers and timers. Each global is read when it is used. */
export const systemRuntime: Required<Runtime> = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  sleep,
};

/** Like {@link startTimer}, but does not keep a program alive. */
export function startIdleTimer(ms: number, onTime: () => void): () => void {
  const timer = setTimeout(onTime, Math.min(ms, 2 ** 31 - 1));
  // Browsers return a number.
  if (typeof timer === 'object') timer.unref();
  return () => clearTimeout(timer);
}

/** Calls `onTime` once after `ms`; the returned function cancels it. For limits on I/O, never for waits. */
export function startTimer(ms: number, onTime: () => void): () => void {
  const timer = setTimeout(onTime, Math.min(ms, 2 ** 31 - 1));
  return () => clearTimeout(timer);
}

/** How long before its end a limit on I/O looks for the first time, and the time between further looks. */
const LOOK_AGAIN_MS = 10;
/** How long a limit on I/O may look again after its end. */
const LOOKS_MS = 250;
/** A timer that fires later than this was kept by a busy event loop, or by a process that was stopped. */
const LATE_MS = 20;

/** Calls `onOver` once, when `ms` are over and {@link lookAgain} has looked; the returned function cancels it. */
export function startIoLimit(ms: number, onOver: () => void, seen: () => unknown = doNothing): () => void {
  const firstMs = Math.max(ms - LOOK_AGAIN_MS, ms / 2);
  // A test may replace `setTimeout` by one that calls back at once.
  let cancel: () => void = doNothing;
  cancel = startWatchedTimer(startTimer, firstMs, (isLate) => {
    cancel = lookAgain(isLate, onOver, seen, startTimer, ms - firstMs);
  });
  return () => cancel();
}

/**
 * After a busy event loop a timer fires before what has arrived could be read. So a limit on I/O calls back only after
 * another look, and goes on while what `seen` returns changes from look to look (the bytes that were read), for 250 ms at
 * most. After a timer that was late it always takes these 250 ms: a compressed body is unpacked in other threads, which
 * may take turns that bring no bytes.
 */
export function lookAgain(
  wasLate: boolean,
  onOver: () => void,
  seen: () => unknown,
  start: typeof startTimer,
  waitMs: number = LOOK_AGAIN_MS,
): () => void {
  let cancel: () => void = doNothing;
  let isAnyLate = wasLate;
  let last = seen();
  // Counted in looks, so that a stop of the process uses up nothing.
  let leftMs = LOOKS_MS;
  const look = (isLate: boolean): void => {
    isAnyLate ||= isLate;
    const now = seen();
    leftMs -= LOOK_AGAIN_MS;
    if ((!isAnyLate && now === last) || leftMs < 0) return onOver();
    last = now;
    cancel = startWatchedTimer(start, LOOK_AGAIN_MS, look);
  };
  cancel = startWatchedTimer(start, waitMs, look);
  return () => cancel();
}

/** Tells whether the timer was late. Fake timers that leave the clock as it is are never late. */
export function startWatchedTimer(start: typeof startTimer, ms: number, onTime: (isLate: boolean) => void): () => void {
  const dueMs = performance.now() + ms;
  return start(ms, () => onTime(performance.now() - dueMs > LATE_MS && isOneClock()));
}

const timeNow = (): readonly unknown[] => {
  const { setTimeout: timer, performance: clock } = globalThis as {
    setTimeout?: unknown;
    performance?: { now?: unknown };
  };
  return [timer, clock?.now];
};
const ownTime = /* @__PURE__ */ timeNow();

/** Whether both the timers and their clock are the runtime's own, or both were replaced. */
function isOneClock(): boolean {
  const [timer, clock] = timeNow();
  return (timer === ownTime[0]) === (clock === ownTime[1]);
}

/** For what is started and not waited for. */
export function doNothing(): undefined {}

/** Calls `onTick` every `ms`; the returned function ends it. For what a person watches, never for waits. */
export function startTicks(ms: number, onTick: () => void): () => void {
  const timer = setInterval(onTick, ms);
  return () => clearInterval(timer);
}

/** Calls back in the next task of the event loop, after all that is settled already. Fake timers do not stop it. */
export function inNextTask(callback: () => void): void {
  if (typeof MessageChannel !== 'function') {
    setTimeout(callback, 0);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  const onMessage = (): void => {
    port1.close();
    callback();
  };
  port1.addEventListener('message', onMessage);
  port1.start();
  port2.postMessage(null);
}

/** Whether this is Node 22, whose fetch and signals have defects of their own. False where the question is refused. */
export function isNode22(): boolean {
  try {
    return (
      (globalThis as { process?: { versions?: { undici?: string } } }).process?.versions?.undici?.startsWith('6.') ===
      true
    );
  } catch {
    return false;
  }
}

/** A random identifier, for request ids and idempotency keys. */
export function createId(): string {
  // Pages without TLS do not have `randomUUID`, and React Native has no `crypto`. An id is no secret.
  const { crypto } = globalThis as { readonly crypto?: Partial<Crypto> };
  return crypto?.randomUUID?.() ?? Array.from({ length: 16 }, randomByte).join('');
}

const randomByte = (): string => (256 + Math.floor(Math.random() * 256)).toString(16).slice(1);
