/**
 * Many random cases in virtual time, each judged by the contract alone. `SIMULATION_CASES=200000` runs more of them,
 * `RANDOM_SEED=50001` begins elsewhere, `SIMULATION_SEED=4711` runs one.
 */

import { expect, test } from 'vitest';
import { type Case, caseOf } from './case.ts';
import { violations } from './oracle.ts';
import { runCase } from './run-case.ts';
import { shrink } from './shrink.ts';
import { times } from '../thorough.ts';

/** Each pair of the options that one case in ten draws comes together five times, in CI twenty times. */
const CASES = Number(process.env['SIMULATION_CASES'] ?? times({ thorough: 2_000, otherwise: 500 }));
const FROM = Number(process.env['RANDOM_SEED'] ?? 1);
const ONLY = process.env['SIMULATION_SEED'];
const PER_TEST = 1_000;

async function judge(plan: Case): Promise<readonly string[]> {
  return violations(plan, await runCase(plan));
}

/** What is wrong with the case of a seed, with the smallest case that shows the same; null where all is well. */
async function report(seed: number): Promise<string | null> {
  const plan = caseOf(seed);
  const found = await judge(plan);
  const [first] = found;
  if (first === undefined) return null;
  const kindOf = (text: string): string => text.replaceAll(/-?\d+(\.\d+)?/g, '#');
  const smallest = await shrink(plan, async (next) =>
    (await judge(next)).some((text) => kindOf(text) === kindOf(first)),
  );
  const shown = JSON.stringify(smallest, (_, value: unknown) =>
    value === Number.POSITIVE_INFINITY ? 'Infinity' : value,
  );
  return `SIMULATION_SEED=${seed}\n${found
    .slice(0, 5)
    .map((text) => `  ${text}`)
    .join('\n')}\n  shrunk to ${shown}`;
}

async function reports(from: number, to: number): Promise<string> {
  const wrong: string[] = [];
  for (let seed = from; seed <= to && wrong.length < 3; seed += 1) {
    const text = await report(seed);
    if (text !== null) wrong.push(text);
  }
  return wrong.join('\n');
}

/** The first and the last seed of each test. */
const RANGES: readonly (readonly [from: number, to: number])[] =
  ONLY === undefined
    ? Array.from({ length: Math.ceil(CASES / PER_TEST) }, (_, index) => [
        FROM + index * PER_TEST,
        FROM + Math.min((index + 1) * PER_TEST, CASES) - 1,
      ])
    : [[Number(ONLY), Number(ONLY)]];

test.each(RANGES)('every random call of the cases %i to %i keeps the contract', async (from, to) => {
  expect(await reports(from, to)).toBe('');
});
