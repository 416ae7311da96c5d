/** A clock for many calls at once: it stops while anything can run, then jumps to the next sleeper. */

import type { Runtime } from '../../src/index.ts';
import { settle } from '../script.ts';

export interface VirtualTime {
  readonly runtime: Runtime;
  /** Runs until all have ended. */
  run(all: readonly Promise<unknown>[]): Promise<void>;
}

export function virtualTime(seed: number): VirtualTime {
  let time = 1_800_000_000_000;
  let state = seed;
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  const runtime: Runtime = {
    now: () => time,
    random: () => {
      // Park and Miller's; any would do that can be repeated.
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    },
    sleep: (ms) => new Promise((wake) => sleepers.push({ at: time + Math.ceil(ms), wake })),
  };
  const run = async (all: readonly Promise<unknown>[]): Promise<void> => {
    let ended = false;
    const done = Promise.all(all).finally(() => (ended = true));
    for (;;) {
      await settle();
      if (ended) break;
      const next = sleepers.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY);
      time = Math.max(time, next);
      for (const { wake } of sleepers.splice(0).filter((sleeper) => keep(sleeper, sleepers, time))) wake();
    }
    await done;
  };
  return { runtime, run };
}

/** Puts those back that sleep on. */
function keep<T extends { readonly at: number }>(sleeper: T, sleepers: T[], time: number): boolean {
  if (sleeper.at <= time) return true;
  sleepers.push(sleeper);
  return false;
}
