/**
 * Draws a share of the blocks of ten lines of some files. Whether a block is drawn depends only on its place and the
 * seed, so a run can be repeated, and a larger share contains the smaller one.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const BLOCK_LINES = 10;

/** The drawn blocks, as Stryker names them: `src/gate/limit.ts:11-20`. */
export function sampleOf(paths: readonly string[], share: number, seed: string): string[] {
  return paths.flatMap((path) => blocksOf(path).filter((block) => fractionOf(`${seed} ${block}`) < share));
}

function blocksOf(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n').length;
  return Array.from({ length: Math.ceil(lines / BLOCK_LINES) }, (_, index) => {
    const first = index * BLOCK_LINES + 1;
    return `${path}:${first}-${first + BLOCK_LINES - 1}`;
  });
}

/** From 0 to 1, each equally probable. */
function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
