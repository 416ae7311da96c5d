/** Puts the clocks and timers of the whole process into simulated time, for programs that accept no clock. */

import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { VirtualTime } from './virtual-time.ts';

type Happen = (...args: unknown[]) => void;

const require = createRequire(import.meta.url);
const [nodeTimers, timerPromises] = [require('node:timers'), require('node:timers/promises')];

/** A timer as Node returns it. */
class Timer {
  readonly #time: VirtualTime;
  readonly #wait: () => object;
  #event: object;

  constructor(time: VirtualTime, happen: () => void, delayMs: number, isRepeated: boolean) {
    this.#time = time;
    this.#wait = () =>
      time.in(delayMs, () => {
        if (isRepeated) this.#event = this.#wait();
        happen();
      });
    this.#event = this.#wait();
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  refresh(): this {
    this.close();
    this.#event = this.#wait();
    // A clock that a library winds again, such as that of undici's time limits, would stand still for ever.
    this.#time.keep(this.#event);
    return this;
  }
  close(): this {
    this.#time.cancel(this.#event);
    return this;
  }
  [Symbol.toPrimitive](): number {
    return 0;
  }
  [Symbol.dispose](): void {
    this.close();
  }
}

const stop = (timer: unknown): void => void (timer instanceof Timer && timer.close());

/** The returned function puts the real ones back. */
export function replaceGlobals(time: VirtualTime): () => void {
  const RealDate = Date;
  class SimulatedDate extends RealDate {
    constructor(...parts: readonly unknown[]) {
      super(...((parts.length === 0 ? [time.nowMs] : parts) as [number]));
    }
    static override now(): number {
      return time.nowMs;
    }
  }
  const starter =
    (isRepeated: boolean) =>
    (happen: Happen, delayMs: unknown, ...args: unknown[]): Timer =>
      new Timer(time, () => happen(...args), Number(delayMs) >= 1 ? Number(delayMs) : 1, isRepeated);
  const timers = { setTimeout: starter(false), clearTimeout: stop, setInterval: starter(true), clearInterval: stop };
  const sleep = <T>(ms?: number, value?: T, options?: { readonly signal?: AbortSignal }): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const signal = options?.signal;
      if (signal?.aborted === true) return reject(signal.reason);
      const timer = timers.setTimeout(() => resolve(value), ms);
      signal?.addEventListener('abort', () => {
        timer.close();
        reject(signal.reason);
      });
    });
  const timeout = (ms: number): AbortSignal => {
    const controller = new AbortController();
    const abort = (): void =>
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    timers.setTimeout(abort, ms);
    return controller.signal;
  };
  const undo = [
    replace(globalThis, { ...timers, Date: SimulatedDate }),
    replace(performance, { now: () => time.elapsedMs }),
    replace(AbortSignal, { timeout }),
    replace(nodeTimers, timers),
    replace(timerPromises, { setTimeout: sleep }),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const restore of undo) restore();
    syncBuiltinESMExports();
  };
}

function replace(target: object, members: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const);
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
  return () => {
    for (const [name, descriptor] of before) {
      // Inherited, such as `performance.now`.
      if (descriptor === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, descriptor);
    }
  };
}
