/** What a call does may depend on what a failure says, and never on which object says it. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { times } from '../thorough.ts';
import { type Case, caseOf } from './case.ts';
import { type Entry, runCase } from './run-case.ts';
import { virtualTimers } from './world.ts';

/** Fewer than of the other test, because each runs three times. */
const CASES = Number(process.env['SIMULATION_CASES'] ?? times({ thorough: 4_000, otherwise: 500 })) / 20;
const FROM = Number(process.env['RANDOM_SEED'] ?? 1);

let realTimers = (): void => {};
beforeAll(() => void (realTimers = virtualTimers()));
afterAll(() => realTimers());

/** What was seen of a case, without the moment at which the clock began, the objects of failures and of answers. */
async function seenOf(plan: Case, classify: 'same' | 'copy' | undefined): Promise<string> {
  const { classify: _, ...options } = plan.options;
  const { outcome, calls } = await runCase({ ...plan, options: { ...options, ...(classify && { classify }) } });
  const startedAt = Math.min(...calls.flatMap(({ entries }) => entries.map(({ at }) => at)));
  const seen = calls.map(({ entries, read }) => [entries.map((entry) => summaryOf(entry, startedAt)), read]);
  return JSON.stringify([outcome, seen]);
}

function summaryOf(entry: Entry, startedAt: number): readonly unknown[] {
  const seen = [entry.at - startedAt, entry.what];
  if (entry.what === 'send') return [...seen, entry.attempt, entry.target, entry.key];
  if (entry.what === 'sleep') return [...seen, entry.ms];
  if (entry.what === 'end') return [...seen, String(entry.error), entry.bodyUsed, entry.listeners];
  if (entry.what !== 'event') return seen;
  const { event } = entry;
  // The order of the members says nothing.
  const failure =
    'failure' in event ? Object.entries(event.failure).toSorted(([one], [other]) => (one < other ? -1 : 1)) : null;
  const [delayMs, because] = ['delayMs', 'because'].map((name): unknown => Reflect.get(event, name));
  return [...seen, event.type, because, delayMs, failure];
}

test('a `classify` that returns its failure, or a copy of it, changes nothing in random calls', async () => {
  const changed: number[] = [];
  for (let seed = FROM; seed < FROM + CASES; seed += 1) {
    const plan = caseOf(seed);
    const plain = await seenOf(plan, undefined);
    for (const how of ['same', 'copy'] as const) if ((await seenOf(plan, how)) !== plain) changed.push(seed);
  }
  expect(changed).toEqual([]);
});
