/**
 * Compares two runs with the same seeds, such as two on one Node, or one on each of two: whether the counts agree, and
 * whether a client that ends significantly more calls well in one run does so in the other.
 *
 * `node run.ts --json a.json`, again with `b.json`, then `node compare.ts a.json b.json`.
 */

import { readFileSync } from 'node:fs';
import { differingCounts, turnedPairs } from './agreement.ts';
import { troubles } from './list-troubles.ts';
import type { Cell } from './score.ts';

const [first = '', second = ''] = process.argv.slice(2);
const read = (file: string): readonly Cell[] => JSON.parse(readFileSync(file, 'utf8'));
const [a, b] = [read(first), read(second)];
const all = await troubles();

const differing = differingCounts(a, b, all);
const turned = turnedPairs(a, b, all);
for (const line of [...differing, ...turned]) console.log(line);
console.log(`${differing.length} counts differ by more than 2 %; ${turned.length} significant ranks are turned.`);
if (differing.length + turned.length > 0) process.exitCode = 1;
