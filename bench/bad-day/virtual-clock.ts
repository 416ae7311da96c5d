/**
 * Virtual time for a whole process: timers, `Date` and `performance.now` follow it. It moves to the next timer when
 * nothing else is left to do, so that an outage of a minute takes a few milliseconds, and two runs with one seed do the
 * same. Client and server run in one process over the loopback, where the kernel hands on at once what was written; so a
 * few idle turns of the event loop show that nothing is on its way.
 */

import { createRequire, syncBuiltinESMExports } from 'node:module';

interface Timer {
  atMs: number;
  readonly order: number;
  readonly everyMs: number | undefined;
  readonly fire: () => void;
}

const real = { setTimeout, clearTimeout, setImmediate, RealDate: Date };
/** Turns of the event loop without any input that count as idle. */
const IDLE_TURNS = 12;
/** Work in a thread, such as a hash or a file, whose result comes later. */
const IN_THREADS = /^(?:FSReq|GetAddrInfo|HashRequest|RandomBytes|PBKDF2|Cipher|Zlib|Worker)/;

const START_MS = Date.UTC(2026, 10, 23, 9);
let nowMs = START_MS;
let order = 0;
let activity = 0;
const timers = new Map<number, Timer>();

/** Since the start of the virtual time. */
export const elapsedMs = (): number => nowMs - START_MS;

/** Tells the clock that something has happened, so that it waits for what follows. */
export function noteActivity(): void {
  activity += 1;
}

/** Resolves after `ms` of virtual time. */
export const after = (ms: number): Promise<void> => new Promise((resolve) => void add(resolve, ms, undefined));

function add(fire: () => void, ms: unknown, everyMs: number | undefined): number {
  order += 1;
  activity += 1;
  const wait = typeof ms === 'number' && ms > 0 ? ms : 0;
  timers.set(order, { atMs: nowMs + wait, order, everyMs, fire });
  return order;
}

/** What `setTimeout` returns in Node, as far as programs use it. */
class Handle {
  readonly id: number;
  constructor(id: number) {
    this.id = id;
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
    return this;
  }
  close(): this {
    timers.delete(this.id);
    return this;
  }
  [Symbol.toPrimitive](): number {
    return this.id;
  }
  [Symbol.dispose](): void {
    timers.delete(this.id);
  }
}

function virtualTimeout(callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): Handle {
  return new Handle(add(() => callback(...args), ms, undefined));
}

function virtualInterval(callback: (...args: unknown[]) => void, ms = 1, ...args: unknown[]): Handle {
  return new Handle(add(() => callback(...args), ms, Math.max(1, ms)));
}

function clear(handle: unknown): void {
  if (handle instanceof Handle) timers.delete(handle.id);
  else if (typeof handle === 'number') timers.delete(handle);
}

function sleepFor<T>(ms?: number, value?: T, options?: { readonly signal?: AbortSignal }): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const signal = options?.signal;
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const handle = virtualTimeout(() => resolve(value), ms);
    signal?.addEventListener('abort', () => {
      clear(handle);
      reject(signal.reason);
    });
  });
}

function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  virtualTimeout(
    () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    ms,
  );
  return controller.signal;
}

/** Puts the process into virtual time, for good. Call it before the clients are imported. */
export function enterVirtualTime(): void {
  class VirtualDate extends real.RealDate {
    constructor(...args: readonly unknown[]) {
      super(...((args.length === 0 ? [nowMs] : args) as [number]));
    }
    static override now(): number {
      return nowMs;
    }
  }
  const virtual = {
    setTimeout: virtualTimeout,
    clearTimeout: clear,
    setInterval: virtualInterval,
    clearInterval: clear,
  };
  Object.assign(globalThis, virtual, { Date: VirtualDate });
  performance.now = elapsedMs;
  AbortSignal.timeout = timeoutSignal;
  const require = createRequire(import.meta.url);
  Object.assign(require('node:timers'), virtual);
  Object.assign(require('node:timers/promises'), { setTimeout: sleepFor });
  syncBuiltinESMExports();
}

/** Runs until `isOver`, or until no timer is left. */
export async function runUntil(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await idle();
    if (isOver()) return;
    const next = earliest();
    if (next === undefined) return;
    nowMs = Math.max(nowMs, next.atMs);
    if (next.everyMs === undefined) timers.delete(next.order);
    else next.atMs = nowMs + next.everyMs;
    next.fire();
  }
}

/** Forgets the timers that a program has left behind. */
export function clearTimers(): void {
  timers.clear();
}

function earliest(): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers.values()) {
    if (first === undefined || timer.atMs < first.atMs || (timer.atMs === first.atMs && timer.order < first.order))
      first = timer;
  }
  return first;
}

async function idle(): Promise<void> {
  for (let turns = 0, seen = activity; turns < IDLE_TURNS; turns += 1) {
    await new Promise((resolve) => real.setImmediate(resolve));
    const isBusy = process.getActiveResourcesInfo().some((name) => IN_THREADS.test(name));
    if (isBusy) await new Promise((resolve) => real.setTimeout(resolve, 1));
    if (activity === seen && !isBusy) continue;
    seen = activity;
    turns = -1;
  }
}
