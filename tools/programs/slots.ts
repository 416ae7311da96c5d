import type { ProxyCommand } from './proxy-process.ts';

/** What the cells of one run share. */
export interface RunOptions {
  readonly proxyCommand: ProxyCommand;
  /** Starting a process keeps a core busy, waiting in it does not: so many start at a time. */
  readonly starting: Slots;
}

/** So many at a time; the others wait their turn. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with what gives the slot back; a second call of that does nothing. */
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
