/** The time of a case: it stops while anything can run, then jumps to the next sleep, timer, response or action. */

import { replaceGlobals } from '../../bench/virtual-globals.ts';
import { VirtualTime } from '../../bench/virtual-time.ts';

/** More than any case needs, and soon reached by a loop that spins. */
const MOST_MOMENTS = 600;

export class World extends VirtualTime {
  readonly #timers = new Map<object, number>();

  /** Puts the timers and the clocks of the library into the time of a new world while it is used. */
  static async use<T>(use: (world: World) => Promise<T>): Promise<T> {
    const world = new World();
    const restore = replaceGlobals(world);
    const { setTimeout: set, clearTimeout: clear } = globalThis;
    const setTimer = (happen: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): object => {
      const timer = set(() => {
        world.#timers.delete(timer);
        happen(...args);
      }, ms);
      world.#timers.set(timer, world.nowMs + ms);
      return timer;
    };
    const clearTimer = (timer: NodeJS.Timeout | undefined): void => {
      if (timer !== undefined) world.#timers.delete(timer);
      clear(timer);
    };
    Object.assign(globalThis, { setTimeout: setTimer, clearTimeout: clearTimer });
    try {
      return await use(world);
    } finally {
      restore();
    }
  }

  /** When timers fire that the library set and did not clear. */
  timersLeft(): readonly number[] {
    return Array.from(this.#timers.values(), (atMs) => atMs - this.nowMs);
  }

  /** Runs until `isOver` or until nothing is left to happen. */
  async runWhole(isOver: () => boolean = () => false): Promise<'over' | 'nothing left' | 'spinning'> {
    let moments = 0;
    await this.idle();
    await this.runUntil(Infinity, () => isOver() || (moments += 1) > MOST_MOMENTS);
    if (isOver()) return 'over';
    return moments > MOST_MOMENTS ? 'spinning' : 'nothing left';
  }
}
