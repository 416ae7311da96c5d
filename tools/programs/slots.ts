import type { ProxyCommand } from './proxy-process.ts';

/** The state that the cells of one run share. */
export interface RunOptions {
  readonly proxyCommand: ProxyCommand;
  /** Starting a process keeps a core busy, waiting in it does not: this limits the number of simultaneous starts. */
  readonly starting: Slots;
}

/** Limits the number of simultaneous users; the others wait for their turn. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with a function that releases the slot; a second call of it does nothing. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}
