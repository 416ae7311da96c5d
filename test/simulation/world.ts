/** Virtual time: the clock stops while anything can run, then jumps to the next sleep, timer, response or action. */

const START = 1_800_000_000_000;
/** More than any case needs, and soon reached by a loop that spins. */
const MOST_MOMENTS = 600;

interface Moment {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export interface World {
  /** The time that really passes, independent of the clock of the case. */
  readonly time: () => number;
  /** The returned function takes it back. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Timers that the library set and neither cleared nor saw fire. */
  readonly timersLeft: () => readonly number[];
  /** Runs until `isOver` or until nothing is left to happen. */
  readonly run: (isOver: () => boolean) => Promise<'over' | 'nothing left' | 'spinning'>;
  /** Runs everything that is left. */
  readonly drain: () => Promise<void>;
}

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
};

/** Lets everything run that can run now. */
export function settle(): Promise<void> {
  return new Promise((resolve) => void real.setImmediate(resolve));
}

function createWorld(): World & {
  readonly setTimer: (ms: number, run: () => void) => object;
  readonly clearTimer: (timer: object) => void;
} {
  let time = START;
  let order = 0;
  const moments: Moment[] = [];
  const timers = new Map<object, { readonly at: number; readonly cancel: () => void }>();
  const after = (ms: number, run: () => void): (() => void) => {
    const moment: Moment = { at: time + Math.max(0, Number.isFinite(ms) ? ms : 1e15), order: (order += 1), run };
    let index = moments.length;
    while (index > 0 && (moments[index - 1]?.at ?? 0) > moment.at) index -= 1;
    moments.splice(index, 0, moment);
    return () => {
      const found = moments.indexOf(moment);
      if (found >= 0) moments.splice(found, 1);
    };
  };
  return {
    time: () => time,
    after,
    timersLeft: () => Array.from(timers.values(), ({ at }) => at - time),
    setTimer: (ms, run) => {
      const timer = { ref: () => timer, unref: () => timer, hasRef: () => true };
      const fire = (): void => {
        timers.delete(timer);
        run();
      };
      timers.set(timer, { at: time + ms, cancel: after(ms, fire) });
      return timer;
    },
    clearTimer: (timer) => {
      timers.get(timer)?.cancel();
      timers.delete(timer);
    },
    run: async (isOver) => {
      for (let count = 0; count < MOST_MOMENTS; count += 1) {
        await settle();
        if (isOver()) return 'over';
        const next = moments.shift();
        if (next === undefined) {
          await settle();
          if (isOver()) return 'over';
          if (moments.length === 0) return 'nothing left';
          continue;
        }
        time = Math.max(time, next.at);
        next.run();
      }
      return 'spinning';
    },
    drain: async () => {
      for (let count = 0; count < MOST_MOMENTS; count += 1) {
        await settle();
        const next = moments.shift();
        if (next === undefined) return;
        time = Math.max(time, next.at);
        next.run();
      }
    },
  };
}

let current: ReturnType<typeof createWorld> | undefined;

/** Puts the timers of the library, which limit its I/O, and their clock into virtual time; the returned function takes them out. */
export function virtualTimers(): () => void {
  const setTimer = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): object => {
    if (current === undefined) return real.setTimeout(run, ms, ...args);
    return current.setTimer(ms, () => run(...args));
  };
  const clearTimer = (timer: unknown): void => {
    if (typeof timer === 'object' && timer !== null) current?.clearTimer(timer);
    if (timer instanceof TimeoutClass) real.clearTimeout(timer);
  };
  Reflect.set(globalThis, 'setTimeout', setTimer);
  Reflect.set(globalThis, 'clearTimeout', clearTimer);
  // A limit looks whether its timer was late.
  Reflect.set(performance, 'now', () => current?.time() ?? real.now());
  return () => {
    Reflect.deleteProperty(performance, 'now');
    Reflect.set(globalThis, 'setTimeout', real.setTimeout);
    Reflect.set(globalThis, 'clearTimeout', real.clearTimeout);
  };
}

const TimeoutClass = real.setTimeout(() => {}, 0).constructor as new () => NodeJS.Timeout;

export async function inWorld<T>(use: (world: World) => Promise<T>): Promise<T> {
  const world = createWorld();
  current = world;
  try {
    return await use(world);
  } finally {
    current = undefined;
  }
}
