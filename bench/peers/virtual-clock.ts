/**
 * Runs hours in milliseconds, for subjects that use the global clock: timers fire in order of time as soon as nothing
 * else happens, and `Date.now` and `performance.now` follow.
 */

interface Timer {
  readonly atMs: number;
  readonly task: () => void;
}

/** After this many turns of the event loop without an end, nothing else happens. */
const QUIET_TURNS = 12;

export class VirtualClock {
  nowMs = 0;
  readonly #timers = new Map<object, Timer>();
  readonly #real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    dateNow: Date.now,
  };

  /** Runs with this clock in place of the globals, until the promise settles. */
  async run<T>(start: () => Promise<T>): Promise<T> {
    const epochMs = Date.now();
    Reflect.set(globalThis, 'setTimeout', this.#set);
    Reflect.set(globalThis, 'clearTimeout', (timer: object) => this.#timers.delete(timer));
    Reflect.set(Date, 'now', () => epochMs + this.nowMs);
    Reflect.set(performance, 'now', () => this.nowMs);
    try {
      const result = start();
      let settled = false;
      const onSettled = (): void => void (settled = true);
      result.then(onSettled, onSettled);
      await this.#advance(() => settled);
      if (!settled) throw new Error('expected the call to settle, got neither an answer nor a timer');
      return await result;
    } finally {
      Reflect.set(globalThis, 'setTimeout', this.#real.setTimeout);
      Reflect.set(globalThis, 'clearTimeout', this.#real.clearTimeout);
      Reflect.set(Date, 'now', this.#real.dateNow);
      // The original method is on the prototype.
      Reflect.deleteProperty(performance, 'now');
    }
  }

  readonly #set = (task: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): object => {
    const handle = { ref: () => handle, unref: () => handle, hasRef: () => true };
    this.#timers.set(handle, { atMs: this.nowMs + Math.max(ms, 1), task: () => task(...args) });
    return handle;
  };

  async #advance(until: () => boolean): Promise<void> {
    for (;;) {
      for (let turn = 0; turn < QUIET_TURNS && !until(); turn += 1) await new Promise(setImmediate);
      const [next] = [...this.#timers].sort(([, one], [, other]) => one.atMs - other.atMs);
      if (until() || next === undefined) return;
      const [handle, { atMs, task }] = next;
      this.#timers.delete(handle);
      this.nowMs = atMs;
      task();
    }
  }
}
