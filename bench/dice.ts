/** Random numbers that are repeatable for a seed: mulberry32, 32 bits of state. */

export type Dice = () => number;

export function createDice(seed: number): Dice {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Waiting times between independent callers. */
export function exponentialTime(meanMs: number, dice: Dice): number {
  return -meanMs * Math.log(1 - dice());
}
