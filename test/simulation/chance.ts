/**
 * Chance that can be repeated: the same seed draws the same case. Each thing that is drawn by its name has a stream of its
 * own, so that a new one changes no other draw.
 */

export interface Chance {
  /** From 0 (included) to 1 (excluded). */
  number(): number;
  /** Both ends included. */
  integer(min: number, max: number): number;
  pick<const L extends readonly [unknown, ...unknown[]]>(list: L): L[number];
  /** True with this probability. */
  hit(probability: number): boolean;
  /** A stream of its own: the same for the same name, whatever was drawn before. */
  of(name: string): Chance;
}

export function chanceOf(seed: number): Chance {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const number = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (min: number, max: number): number => min + Math.floor(number() * (max - min + 1));
  return {
    number,
    integer,
    pick: (list) => list[integer(0, list.length - 1)],
    hit: (probability) => number() < probability,
    of: (name) => chanceOf(hashOf(name, seed)),
  };
}

/** FNV-1a. */
function hashOf(name: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
